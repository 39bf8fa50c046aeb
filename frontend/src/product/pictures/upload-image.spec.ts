import { ApiError } from '@/lib/api-client';
import { stallTimeoutMs, uploadImage } from '@/product/pictures/upload-image';

/** Fake XMLHttpRequest, controlled by the test. */
class FakeXhr {
  static last: FakeXhr;
  upload: { onprogress?: (event: Partial<ProgressEvent>) => void } = {};
  onload?: () => void;
  onerror?: () => void;
  status = 0;
  statusText = '';
  responseText = '';
  withCredentials = false;
  isAborted = false;
  opened: string[] = [];
  form: FormData | undefined;
  constructor() {
    FakeXhr.last = this;
  }
  open(...args: string[]): void {
    this.opened = args;
  }
  send(form: FormData): void {
    this.form = form;
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

it('posts the form with the cookie, reports integer percentages, and returns the address', async () => {
  const percents: number[] = [];
  const upload = uploadImage(photo, 'chat-images', 'dot.png', {
    onProgress: (percent) => percents.push(percent),
  });
  const { last } = FakeXhr;
  expect(last.opened).toEqual(['POST', '/api/upload']);
  expect(last.withCredentials).toBe(true);
  expect([...(last.form ?? new FormData()).keys()]).toEqual(['bucket', 'fileName', 'file']);
  last.reportProgress(1, 3);
  last.reportProgress(3, 3);
  last.respond(200, { url: '/api/files/chat-images/a.webp' });
  await expect(upload).resolves.toBe('/api/files/chat-images/a.webp');
  expect(percents).toEqual([33, 100]);
});

it('throws an ApiError with the response of the server', async () => {
  const upload = uploadImage(photo, 'avatars', 'profiles/7');
  FakeXhr.last.respond(422, { code: 'image_refused', message: 'No image' });
  const error: unknown = await upload.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 422, serverMessage: 'No image' });
});

it('throws when there is no response or an invalid response', async () => {
  const unanswered = uploadImage(photo, 'avatars', 'profiles/7');
  FakeXhr.last.onerror?.();
  await expect(unanswered).rejects.toThrow('no answer');
  const invalid = uploadImage(photo, 'avatars', 'profiles/7');
  FakeXhr.last.respond(200, {});
  await expect(invalid).rejects.toThrow();
});

it('aborts an upload that stalls, but does not limit the total time', async () => {
  const upload = uploadImage(photo, 'chat-images', 'dot.png');
  const timeoutExpectation = expect(upload).rejects.toMatchObject({ name: 'TimeoutError' });
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
