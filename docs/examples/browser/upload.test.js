import assert from "node:assert";
import { test } from "node:test";
import { JSDOM } from "jsdom";
import { sign } from "./sign.js";
import { upload } from "./upload.js";

const { MEDIADESK_URL, MEDIADESK_PUBLIC_KEY, MEDIADESK_PRIVATE_KEY } = process.env;

test("a file input uploads with a signature", async () => {
  const { window } = new JSDOM(`<input type="file">`);
  const input = window.document.querySelector("input");
  const chosen = new File(["hello"], "hello.txt", { type: "text/plain" });
  Object.defineProperty(input, "files", { value: [chosen] });
  const stored = new Promise((resolve, reject) => {
    input.addEventListener("change", () =>
      upload(MEDIADESK_URL, input.files[0], () => sign(MEDIADESK_PUBLIC_KEY, MEDIADESK_PRIVATE_KEY)).then(resolve, reject));
  });
  input.dispatchEvent(new window.Event("change"));
  assert.equal((await stored).size, 5);
});

test("a signature is for one upload", async () => {
  const once = sign(MEDIADESK_PUBLIC_KEY, MEDIADESK_PRIVATE_KEY);
  const file = new File(["again"], "again.txt");
  await upload(MEDIADESK_URL, file, () => once);
  await assert.rejects(upload(MEDIADESK_URL, file, () => once), /has been used before/);
});
