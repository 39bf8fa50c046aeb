/** Types of packages that contain none, limited to the parts that Thaw uses. */
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
  /** Returns the cookies of a `Cookie` header by name, percent-decoded. The first cookie of a name wins. */
  export const parse: (header: string) => Record<string, string | undefined>;
}

declare module 'cookie-signature' {
  export const sign: (value: string, secret: string) => string;
  /** Returns the value without its signature, or false if it was not signed with this secret. */
  export const unsign: (signed: string, secret: string) => string | false;
}
