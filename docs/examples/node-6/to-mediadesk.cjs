// The SDK for Node up to version 6 has the URLs of the hosted service in its code. This
// sends its requests to mediadesk.
const axios = require("axios");
const hosted = /^https:\/\/(upload|api)\.imagekit\.io/;
axios.interceptors.request.use((request) => ({
  ...request, url: request.url.replace(hosted, process.env.MEDIADESK_URL),
}));
