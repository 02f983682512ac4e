import assert from "node:assert";
import { test } from "node:test";
import ImageKit from "imagekit";

const client = new ImageKit({
  urlEndpoint: process.env.MEDIADESK_URL,
  publicKey: process.env.MEDIADESK_PUBLIC_KEY,
  privateKey: process.env.MEDIADESK_PRIVATE_KEY,
});

test("an upload is stored with its tags", async () => {
  const file = await client.upload({ file: Buffer.from("hello"), fileName: "hello.txt", tags: ["greeting"] });
  assert.deepEqual((await client.getFileDetails(file.fileId)).tags, ["greeting"]);
});
