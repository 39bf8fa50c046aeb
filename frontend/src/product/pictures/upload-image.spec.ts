import { ApiError } from '@/lib/api-client';
import { stallTimeoutMs, uploadImage } from '@/product/pictures/upload-image';

/** Fake XMLHttpRequest. The test reads what `uploadImage` has set or sent, and calls `reportProgress` and `respond`. */
class FakeXhr {
  /** The request that was created last. */
  static last: FakeXhr;
  upload: { onprogress?: (event: Partial<ProgressEvent>) => void } = {};
  onload?: () => void;
  onerror?: () => void;
  status = 0;
  statusText = '';
  responseText = '';
  withCredentials = false;
  isAborted = false;
  openArguments: string[] = [];
  sentForm: FormData | undefined;
  constructor() {
    FakeXhr.last = this;
  }
  open(...args: string[]): void {
    this.openArguments = args;
  }
  send(form: FormData): void {
    this.sentForm = form;
  }
  abort(): void {
    this.isAborted = true;
  }
  reportProgress(loaded: number, total: number): void {
    this.upload.onprogress?.({ lengthComputable: true, loaded, total });
  }
  respond(status: number, body: unknown): void {
    Object.assign(this, { status, responseText: JSON.stringify(body) });
    this.onload?.();
  }
}

const photo = new File(['x'], 'dot.png', { type: 'image/png' });
const originalXhr = globalThis.XMLHttpRequest;
beforeEach(() => {
  jest.useFakeTimers();
  Object.assign(globalThis, { XMLHttpRequest: FakeXhr });
});
afterEach(() => {
  jest.useRealTimers();
  Object.assign(globalThis, { XMLHttpRequest: originalXhr });
});

it('posts the image with the session cookie, and returns the address of the stored image', async () => {
  const upload = uploadImage(photo, 'chat-images', 'dot.png');
  const { last } = FakeXhr;
  expect(last.openArguments).toEqual(['POST', '/api/upload']);
  expect(last.withCredentials).toBe(true);
  expect([...(last.sentForm?.keys() ?? [])]).toEqual(['bucket', 'fileName', 'file']);
  last.respond(200, { url: '/api/files/chat-images/a.webp' });
  await expect(upload).resolves.toBe('/api/files/chat-images/a.webp');
});

it('reports the progress in integer percentages', async () => {
  const percents: number[] = [];
  const upload = uploadImage(photo, 'chat-images', 'dot.png', {
    onProgress: (percent) => percents.push(percent),
  });
  FakeXhr.last.reportProgress(1, 3);
  FakeXhr.last.reportProgress(3, 3);
  FakeXhr.last.respond(200, { url: '/api/files/chat-images/a.webp' });
  await upload;
  expect(percents).toEqual([33, 100]);
});

it('throws an ApiError with the response of the server', async () => {
  const upload = uploadImage(photo, 'avatars', 'profiles/7');
  FakeXhr.last.respond(422, { code: 'image_refused', message: 'No image' });
  const error: unknown = await upload.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 422, serverMessage: 'No image' });
});

it('throws when there is no response', async () => {
  const upload = uploadImage(photo, 'avatars', 'profiles/7');
  FakeXhr.last.onerror?.();
  await expect(upload).rejects.toThrow('no answer');
});

it('throws when the response contains no address', async () => {
  const upload = uploadImage(photo, 'avatars', 'profiles/7');
  FakeXhr.last.respond(200, {});
  await expect(upload).rejects.toThrow();
});

it('aborts an upload that stalls, but does not limit the total time', async () => {
  const upload = uploadImage(photo, 'chat-images', 'dot.png');
  // Attached now and awaited at the end, so that the rejection is handled when it happens.
  const timeoutExpectation = expect(upload).rejects.toMatchObject({ name: 'TimeoutError' });
  // Each part arrives just in time. Together, they take longer than an upload may stall.
  for (let part = 1; part <= 5; part += 1) {
    jest.advanceTimersByTime(stallTimeoutMs - 1);
    FakeXhr.last.reportProgress(part, 10);
  }
  expect(FakeXhr.last.isAborted).toBe(false);
  jest.advanceTimersByTime(stallTimeoutMs);
  expect(FakeXhr.last.isAborted).toBe(true);
  await timeoutExpectation;
});

it('aborts the request when the signal is aborted', async () => {
  const controller = new AbortController();
  const upload = uploadImage(photo, 'chat-images', 'dot.png', { signal: controller.signal });
  controller.abort();
  await expect(upload).rejects.toMatchObject({ name: 'AbortError' });
  expect(FakeXhr.last.isAborted).toBe(true);
});
