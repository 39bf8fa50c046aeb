import type { AddressInfo } from 'node:net';
import type request from 'supertest';
import type { TestApi } from './test-api.harness';

export type Browser = ReturnType<TestApi['openBrowser']>;

interface UploadOptions {
  bucket?: string;
  /** The name of the image, in a field of its own. */
  fileName?: string;
  contentType?: string;
}

/** Posts an image as a browser does; by default a JPEG for a chat. */
export const upload = (
  browser: Browser,
  image: Buffer,
  { bucket = 'chat-images', fileName = 'cat.jpg', contentType = 'image/jpeg' }: UploadOptions = {},
): request.Test =>
  browser
    .post('/api/upload')
    .field('bucket', bucket)
    .field('fileName', fileName)
    // A part counts as a file only if it has a file name, which the server ignores in favour of `fileName`.
    .attach('file', image, { filename: 'cat.jpg', contentType });

// The next constants and functions, up to `postForm`, build forms part by part, as no client library would send them.

/** Separates the parts. */
export const BOUNDARY = 'edge';
export const FORM_CONTENT_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const createFormPart = (headers: string, content: Buffer | string): Buffer =>
  Buffer.concat([
    Buffer.from(`--${BOUNDARY}\r\n${headers}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ]);

export const createFormField = (name: string, value: string): Buffer =>
  createFormPart(`Content-Disposition: form-data; name="${name}"`, value);

export const createFormFile = (name: string, content: Buffer): Buffer =>
  createFormPart(
    `Content-Disposition: form-data; name="${name}"; filename="a.jpg"\r\nContent-Type: image/jpeg`,
    content,
  );

export const FORM_END = Buffer.from(`--${BOUNDARY}--\r\n`);

/** The fields that a valid form has in addition to its file. */
export const requiredFields = [
  createFormField('bucket', 'chat-images'),
  createFormField('fileName', 'a.jpg'),
];

/** Posts a form that was built part by part. */
export const postForm = (
  browser: Browser,
  parts: readonly Buffer[],
  contentType = FORM_CONTENT_TYPE,
): request.Test =>
  browser
    .post('/api/upload')
    .set('Content-Type', contentType)
    // Keeps the bytes as they are. The types of supertest allow only strings.
    .serialize((body: Buffer) => body as unknown as string)
    .send(Buffer.concat(parts) as unknown as string);

/** Signs in a new anonymous user. @returns their browser and their user id */
export const signInAnonymously = async (api: TestApi): Promise<{ browser: Browser; id: number }> => {
  const browser = api.openBrowser();
  const response = await browser.post('/api/anonymous').expect(201);
  return { browser, id: response.body.user.id as number };
};

/** Signs in a new anonymous user. @returns the value of the header `Cookie`. */
export const createSessionCookie = async (api: TestApi): Promise<string> => {
  const response = await api.openBrowser().post('/api/anonymous').expect(201);
  const cookies = response.headers['set-cookie'] as unknown as string[];
  return cookies.map((line) => line.split(';')[0]).join('; ');
};

export const findPort = (api: TestApi): number => (api.app.getHttpServer().address() as AddressInfo).port;

/** The expected body of an error response. Its message is for display and may be any text. */
export const createErrorBody = (statusCode: number, code: string) => ({
  statusCode,
  code,
  message: expect.any(String),
});

export const expectErrorResponse = async (
  response: request.Test,
  statusCode: number,
  code: string,
): Promise<void> => {
  const { status, body } = await response;
  expect({ status, body }).toEqual({ status: statusCode, body: createErrorBody(statusCode, code) });
};
