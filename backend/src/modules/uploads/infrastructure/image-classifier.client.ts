import * as z from 'zod/mini';
import { OptionalServerClient } from '../../../platform/optional-servers/optional-server.client';
import { OptionalServerError } from '../../../platform/optional-servers/optional-server.errors';

export interface ImageClassifierSettings {
  url: string;
  /** Limits the time until the complete response has arrived. */
  timeoutMs: number;
}

/** A re-encoded image. Nothing else is sent. */
export interface ClassifiableImage {
  bytes: Buffer<ArrayBuffer>;
  contentType: 'image/jpeg' | 'image/webp';
}

const opinionSchema = z.object({ explicit: z.number().check(z.minimum(0), z.maximum(1)) });

/** A client of the optional server that estimates whether an image is explicit. */
export class ImageClassifierClient {
  private readonly server: OptionalServerClient;

  constructor({ url, timeoutMs }: ImageClassifierSettings) {
    this.server = new OptionalServerClient({ address: url, timeoutMs });
  }

  /**
   * @returns how certainly the image is explicit, from 0 to 1
   * @throws OptionalServerError if the classifier fails or does not answer in time
   */
  async classify({ bytes, contentType }: ClassifiableImage): Promise<number> {
    const answer = await this.server.post({ headers: { 'Content-Type': contentType }, body: bytes });
    const parsed = opinionSchema.safeParse(answer);
    if (!parsed.success) throw new OptionalServerError('the answer is not an opinion');
    return parsed.data.explicit;
  }
}
