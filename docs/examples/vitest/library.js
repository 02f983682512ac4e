const { MEDIADESK_URL, MEDIADESK_PRIVATE_KEY } = process.env;

// call sends a request with the private key and returns the answer.
export async function call(path, options = {}) {
  const headers = { Authorization: "Basic " + btoa(MEDIADESK_PRIVATE_KEY + ":"), ...options.headers };
  const response = await fetch(MEDIADESK_URL + path, { ...options, headers });
  if (!response.ok) throw new Error(`${path}: ${(await response.json()).message}`);
  return response.status === 204 ? undefined : response.json();
}

// upload stores a text file and returns its record.
export function upload(name, fields = {}) {
  const form = new FormData();
  form.append("file", new Blob(["hello"]));
  form.append("fileName", name);
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  return call("/api/v1/files/upload", { method: "POST", body: form });
}
