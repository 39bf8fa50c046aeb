import { draw } from '@/product/pictures/scaled-size';

/** Takes an ImageBitmap; answers a Blob, or a string that says why there is none. */
globalThis.onmessage = ({ data: bitmap }: MessageEvent<ImageBitmap>) => {
  const canvas = new OffscreenCanvas(1, 1);
  draw(bitmap, canvas, (type, quality) => canvas.convertToBlob({ type, quality })).then(
    (blob) => globalThis.postMessage(blob),
    (error: unknown) => globalThis.postMessage(String(error)),
  );
};
