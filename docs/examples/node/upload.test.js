import assert from "node:assert";
import { test } from "node:test";
import ImageKit, { toFile } from "@imagekit/nodejs";

// Without arguments, the client reads IMAGE_KIT_BASE_URL and IMAGEKIT_PRIVATE_KEY, which
// mediadesk serve --exec sets.
const client = new ImageKit();

test("an upload is stored with its tags", async () => {
  const file = await client.files.upload({
    file: await toFile(Buffer.from("hello"), "hello.txt"), fileName: "hello.txt", tags: ["greeting"],
  });
  assert.deepEqual((await client.files.get(file.fileId)).tags, ["greeting"]);
});
