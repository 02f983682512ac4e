import { describe, expect, test } from "vitest";
import { call, upload } from "./library.js";

const names = async (query = "") => (await call("/v1/files" + query)).map((file) => file.name);

// Eighteen tests store the same name and change the file of the seed. Without the reset before
// each of them, the second would fail.
describe.each(Array.from({ length: 9 }, (_, n) => n + 1))("round %i", () => {
  test("an upload is the second file", async () => {
    await upload("hello.txt", { useUniqueFileName: "false" });
    expect(await names("?sort=ASC_NAME")).toEqual(["hello.txt", "note.txt"]);
  });

  test("a deleted file is back", async () => {
    const [note] = await call("/v1/files?path=/summer");
    expect(note.tags).toEqual(["sea", "boat"]);
    await call(`/v1/files/${note.fileId}`, { method: "DELETE" });
    expect(await names()).toEqual([]);
  });
});

test("a failing service is handled", async () => {
  const rules = [{ endpoint: "/v1/files", method: "GET", count: 1, status: 503 }];
  await call("/_mediadesk/faults", {
    method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ rules }),
  });
  await expect(names()).rejects.toThrow();
  expect(await names()).toEqual(["note.txt"]);
});

test("the service says what it received", async () => {
  await upload("hello.txt", { tags: "a,b" });
  const requests = await call("/_mediadesk/requests?method=POST&path=/api/v1/files/upload");
  expect(requests.at(-1).fields.tags).toEqual("a,b");
});
