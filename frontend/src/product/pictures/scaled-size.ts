export const maximumSidePx = 2_048;

/** On a scale from 0 to 1, for both WebP and JPEG. */
const encodingQuality = 0.85;

/**
 * Computes the size at which no side exceeds `maximumSidePx`, with the same proportions; each side is at least 1 px.
 */
export const computeScaledSize = ({
  width,
  height,
}: {
  width: number;
  height: number;
}): { width: number; height: number; isScaled: boolean } => {
  const factor = Math.min(1, maximumSidePx / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * factor)),
    height: Math.max(1, Math.round(height * factor)),
    isScaled: factor < 1,
  };
};

interface Canvas {
  width: number;
  height: number;
  getContext(kind: '2d'): Pick<CanvasRenderingContext2D, 'drawImage'> | null;
}

/**
 * Draws a picture in its scaled size, closes the bitmap, and encodes the picture as WebP, or as JPEG where the browser
 * cannot encode WebP.
 * @param toBlob encodes the canvas. Its method differs between the canvas of a page and that of a worker.
 */
export const drawScaled = async (
  bitmap: ImageBitmap,
  canvas: Canvas,
  toBlob: (type: string, quality: number) => Promise<Blob>,
): Promise<Blob> => {
  const { width, height } = computeScaledSize(bitmap);
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('No canvas to draw on');
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  const webp = await toBlob('image/webp', encodingQuality);
  // A browser that cannot encode a type returns PNG, which is far too large for a photo.
  return webp.type === 'image/webp' ? webp : toBlob('image/jpeg', encodingQuality);
};
