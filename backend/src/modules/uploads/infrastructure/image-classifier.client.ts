import * as z from 'zod/mini';
import { OptionalServerClient } from '../../../platform/optional-servers/optional-server.client';
import { OptionalServerError } from '../../../platform/optional-servers/optional-server.errors';

export interface ImageClassifierSettings {
  url: string;
  /** Maximum time until the complete answer has arrived. */
  timeoutMs: number;
}

/** A re-encoded image. The classifier receives nothing else, for example nothing about the image's owner. */
export interface ClassifiableImage {
  bytes: Buffer<ArrayBuffer>;
  contentType: 'image/jpeg' | 'image/webp';
}

/** `explicit`: how certainly the image is explicit. */
const answerSchema = z.object({ explicit: z.number().check(z.minimum(0), z.maximum(1)) });

/** Client of the optional server that estimates whether an image is explicit. */
export class ImageClassifierClient {
  private readonly server: OptionalServerClient;

  constructor({ url, timeoutMs }: ImageClassifierSettings) {
    this.server = new OptionalServerClient({ url, timeoutMs });
  }

  /**
   * @returns the score: how certainly the image is explicit, from 0 to 1
   * @throws OptionalServerError unless a valid answer arrives in time
   */
  async classify({ bytes, contentType }: ClassifiableImage): Promise<number> {
    const answer = await this.server.post({ headers: { 'Content-Type': contentType }, body: bytes });
    const parsed = answerSchema.safeParse(answer);
    if (!parsed.success) throw new OptionalServerError('the answer is not an opinion');
    return parsed.data.explicit;
  }
}
