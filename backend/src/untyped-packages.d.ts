/** What is used of packages that bring no types. */
declare module 'multer' {
  import type { RequestHandler } from 'express';
  import type { MulterOptions } from '@nestjs/platform-express/multer/interfaces/multer-options.interface';

  interface Multer {
    single(fieldName: string): RequestHandler;
  }
  const multer: (options: MulterOptions) => Multer;
  export default multer;
}

declare module 'cookie' {
  /** Cookies of a `Cookie` header by name, percent-decoded; the first of a name counts. */
  export const parse: (header: string) => Record<string, string | undefined>;
}

declare module 'cookie-signature' {
  export const sign: (value: string, secret: string) => string;
  /** The value, or false when the secret has not signed it. */
  export const unsign: (signed: string, secret: string) => string | false;
}
