import { appealSchema, type Appeal, type FileAppeal } from '@thaw/contract/safety';
import { request } from '@/lib/api-client';

/** Files an appeal against a notice. A repeated request, after a lost response, returns the open appeal. */
export const fileAppeal = async (appeal: FileAppeal): Promise<Appeal> =>
  appealSchema.parse(await request('POST', '/api/appeals', appeal));
