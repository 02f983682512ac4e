import { createHmac, randomUUID } from "node:crypto";

// sign runs on your server. Its result is valid for ten minutes and for one upload.
export function sign(publicKey, privateKey) {
  const token = randomUUID();
  const expire = Math.floor(Date.now() / 1000) + 600;
  const signature = createHmac("sha1", privateKey).update(token + expire).digest("hex");
  return { publicKey, token, expire, signature };
}
