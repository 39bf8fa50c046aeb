import { drawScaled, maximumSidePx, computeScaledSize } from '@/product/pictures/scaled-size';

/** Scales a picture in a worker, which responds with a `Blob`, or with a string that says why it failed. */
const scaleInWorker = (bitmap: ImageBitmap): Promise<Blob> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./scale-picture.worker.ts', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Blob | string>) => {
      worker.terminate();
      if (typeof data === 'string') reject(new Error(data));
      else resolve(data);
    };
    worker.onerror = ({ message }) => {
      worker.terminate();
      reject(new Error(message || 'The worker could not be started'));
    };
    // Transferred, so this page can no longer use the bitmap.
    worker.postMessage(bitmap, [bitmap]);
  });

const scaleOnPage = (bitmap: ImageBitmap): Promise<Blob> => {
  const canvas = document.createElement('canvas');
  const toBlob = (type: string, quality: number): Promise<Blob> =>
    new Promise((resolve, reject) => {
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('Nothing was drawn'))), type, quality);
    });
  return drawScaled(bitmap, canvas, toBlob);
};

/** @returns null if this browser cannot decode the picture. */
const decode = async (file: File): Promise<ImageBitmap | null> => {
  try {
    // By default, `createImageBitmap` rotates the picture according to its EXIF orientation.
    return await createImageBitmap(file);
  } catch (error) {
    console.warn('The picture is uploaded as it is', error);
    return null;
  }
};

/** Scales a picture in a worker, or on the page where workers cannot draw or the worker fails. */
const scale = async (bitmap: ImageBitmap, file: File): Promise<Blob> => {
  if (typeof OffscreenCanvas === 'undefined') return scaleOnPage(bitmap);
  try {
    return await scaleInWorker(bitmap);
  } catch (error) {
    console.warn(`The picture is scaled to ${maximumSidePx} px on the page`, error);
    // Decoded again, because the first bitmap was transferred to the worker.
    return scaleOnPage(await createImageBitmap(file));
  }
};

/**
 * Scales a picture so that no side exceeds 2,048 px (docs/product-decisions.md, A95). Returns the original file if it
 * is a GIF, is small enough, or cannot be decoded by this browser; the server validates every upload.
 */
export const scaleDown = async (file: File): Promise<Blob> => {
  if (file.type === 'image/gif') return file;
  const bitmap = await decode(file);
  if (!bitmap) return file;
  const isSmallEnough = !computeScaledSize(bitmap).isScaled;
  if (isSmallEnough) {
    bitmap.close();
    return file;
  }
  return scale(bitmap, file);
};
