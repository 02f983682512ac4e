// The URLs of pictures: NEXT_PUBLIC_MEDIA_URL is the URL endpoint of the account, or
// MEDIADESK_URL in tests.
export default function loader({ src, width, quality }) {
  const steps = [`w-${width}`, "c-at_max", `q-${quality ?? 75}`, "f-auto"];
  return `${process.env.NEXT_PUBLIC_MEDIA_URL}/tr:${steps.join(",")}${src}`;
}
