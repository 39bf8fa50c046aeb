import { drawScaled, computeScaledSize } from '@/product/pictures/scaled-size';

it.each([
  [2_048, 2_048, 2_048, 2_048, false],
  [4_032, 3_024, 2_048, 1_536, true],
  [3_024, 4_032, 1_536, 2_048, true],
  [10_000, 2, 2_048, 1, true],
])('computeScaledSize turns %i × %i px into %i × %i px', (width, height, toWidth, toHeight, isScaled) => {
  expect(computeScaledSize({ width, height })).toEqual({ width: toWidth, height: toHeight, isScaled });
});

describe('drawScaled', () => {
  const bitmap = { width: 4_096, height: 2_048, close: jest.fn() } as unknown as ImageBitmap;
  const createCanvas = () => {
    const drawImage = jest.fn();
    return { width: 0, height: 0, drawImage, getContext: () => ({ drawImage }) };
  };

  it('scales a picture and encodes it as WebP', async () => {
    const canvas = createCanvas();
    const blob = await drawScaled(bitmap, canvas, (type) => Promise.resolve(new Blob(['x'], { type })));
    expect(canvas).toMatchObject({ width: 2_048, height: 1_024 });
    expect(canvas.drawImage).toHaveBeenCalledWith(bitmap, 0, 0, 2_048, 1_024);
    expect(blob.type).toBe('image/webp');
  });

  it('encodes as JPEG where the browser cannot encode WebP', async () => {
    const requestedTypes: string[] = [];
    const blob = await drawScaled(bitmap, createCanvas(), (type) => {
      requestedTypes.push(type);
      // Such a browser returns PNG instead of WebP.
      return Promise.resolve(new Blob(['x'], { type: type === 'image/webp' ? 'image/png' : type }));
    });
    expect(requestedTypes).toEqual(['image/webp', 'image/jpeg']);
    expect(blob.type).toBe('image/jpeg');
  });
});
