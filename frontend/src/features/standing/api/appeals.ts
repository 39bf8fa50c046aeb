import { appealSchema, type Appeal, type FileAppeal } from '@thaw/contract/safety';
import { request } from '@/lib/api-client';

/** Appeals against a notice. The same appeal again, after a lost response, returns the appeal that is open. */
export const fileAppeal = async (appeal: FileAppeal): Promise<Appeal> =>
  appealSchema.parse(await request('POST', '/api/appeals', appeal));
