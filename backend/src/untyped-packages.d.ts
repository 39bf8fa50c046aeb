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
