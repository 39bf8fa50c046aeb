import { drawScaled } from '@/product/pictures/scaled-size';

/** Receives an ImageBitmap; posts a Blob, or a string with the reason for a failure. */
globalThis.onmessage = ({ data: bitmap }: MessageEvent<ImageBitmap>) => {
  // `drawScaled` sets the size.
  const canvas = new OffscreenCanvas(1, 1);
  drawScaled(bitmap, canvas, (type, quality) => canvas.convertToBlob({ type, quality })).then(
    (blob) => globalThis.postMessage(blob),
    (error: unknown) => globalThis.postMessage(String(error)),
  );
};
