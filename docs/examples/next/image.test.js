import assert from "node:assert";
import { test } from "node:test";
import image from "next/image.js";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";

process.env.NEXT_PUBLIC_MEDIA_URL = process.env.MEDIADESK_URL;
const { default: loader } = await import("./image-loader.js");

test("every size of next/image is served", async () => {
  const html = renderToStaticMarkup(createElement(image.default, {
    loader, src: "/mug.jpg", alt: "A mug", width: 400, height: 300, sizes: "100vw",
  }));
  const sizes = html.match(/srcSet="([^"]*)"/)[1].replaceAll("&amp;", "&").split(", ").map((entry) => entry.split(" "));
  assert.ok(sizes.length > 4, html);
  for (const [address, width] of sizes) {
    const response = await fetch(address, { headers: { Accept: "image/webp" } });
    assert.equal(response.status, 200, address);
    assert.match(response.headers.get("Content-Type"), /^image\//, `${address} ${width}`);
    await response.arrayBuffer();
  }
});
