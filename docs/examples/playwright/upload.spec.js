import { expect, test } from "@playwright/test";

const { MEDIADESK_URL, MEDIADESK_PRIVATE_KEY } = process.env;
const headers = { Authorization: "Basic " + btoa(MEDIADESK_PRIVATE_KEY + ":") };

test.beforeEach(({ request }) => request.post(MEDIADESK_URL + "/_mediadesk/reset", { headers }));

test("a chosen picture is stored and shown", async ({ page, request }) => {
  await page.goto("/");
  await page.setInputFiles("input", "photo.jpg");
  await expect(page.getByText("Stored as /photo")).toBeVisible();
  await expect(page.locator("img")).toHaveJSProperty("naturalWidth", 120);
  expect(await (await request.get(MEDIADESK_URL + "/v1/files", { headers })).json()).toHaveLength(1);
});

test("a refusal is shown", async ({ page, request }) => {
  const rules = [{ endpoint: "/api/v1/files/upload", method: "POST", status: 503 }];
  await request.put(MEDIADESK_URL + "/_mediadesk/faults", { headers, data: { rules } });
  await page.goto("/");
  await page.setInputFiles("input", "photo.jpg");
  await expect(page.locator("p")).not.toBeEmpty();
  await expect(page.locator("p")).not.toContainText("Stored");
  await request.delete(MEDIADESK_URL + "/_mediadesk/faults", { headers });
});
