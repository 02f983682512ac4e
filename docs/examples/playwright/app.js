import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { sign } from "./sign.js";

const { MEDIADESK_URL, MEDIADESK_PUBLIC_KEY, MEDIADESK_PRIVATE_KEY } = process.env;
const page = `<!doctype html><title>Upload</title><input type="file"><p></p><img alt="">
<script type="module">
import { upload } from "/upload.js";
document.querySelector("input").addEventListener("change", async ({ target }) => {
  const text = document.querySelector("p");
  try {
    const file = await upload("${MEDIADESK_URL}", target.files[0], async () => (await fetch("/sign")).json());
    text.textContent = "Stored as " + file.filePath;
    document.querySelector("img").src = "${MEDIADESK_URL}/tr:w-120" + file.filePath;
  } catch (error) {
    text.textContent = error.message;
  }
});
</script>`;

const answers = {
  "/": async () => ["text/html", page],
  "/upload.js": async () => ["text/javascript", await readFile("upload.js")],
  "/sign": async () => ["application/json", JSON.stringify(sign(MEDIADESK_PUBLIC_KEY, MEDIADESK_PRIVATE_KEY))],
};
createServer(async (request, response) => {
  const [type, body] = (await answers[request.url]?.()) ?? ["text/plain", ""];
  response.setHeader("Content-Type", type).end(body);
}).listen(4173, "127.0.0.1");
