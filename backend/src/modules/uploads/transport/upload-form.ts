import { limits } from '@thaw/contract/limits';
import type { MulterOptions } from '@nestjs/platform-express/multer/interfaces/multer-options.interface';

/** A file as multer hands it over. */
export interface FormFile {
  buffer: Buffer;
}

/** Every limit that there is. Without a storage of its own multer keeps the file in memory. */
export const uploadForm: MulterOptions = {
  limits: {
    files: 1,
    fileSize: limits.imageMaxBytes,
    fields: 4,
    fieldSize: 512,
    fieldNameSize: 64,
    parts: 6,
    fieldNestingDepth: 0,
    fieldArrayIndexLimit: 0,
  },
};
