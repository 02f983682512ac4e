// next/image asks the library for each size; Next itself resizes nothing.
export default { images: { loader: "custom", loaderFile: "./image-loader.js" } };
