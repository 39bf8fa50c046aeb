import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import { OptionalServerLimiter } from '../../../platform/optional-servers/optional-server.limiter';
import { type ClassifiableImage, ImageClassifierClient } from '../infrastructure/image-classifier.client';

const TIMEOUT_MS = 3_000;
const EXPLICIT_FROM = 0.85;

type Outcome = 'explicit' | 'harmless' | 'failed' | 'skipped';

/** The opinion of an image classifier, if the operator has set one up. Images and answers are not logged. */
@Injectable()
export class ImageClassifierService {
  private readonly classifier: ImageClassifierClient | null;
  private readonly limiter = new OptionalServerLimiter(
    'The image classifier',
    new Logger(ImageClassifierService.name),
  );
  private readonly outcomes: Record<Outcome, number> = { explicit: 0, harmless: 0, failed: 0, skipped: 0 };

  constructor(
    metrics: MetricsRegistry,
    @Inject(ENVIRONMENT) { IMAGE_CLASSIFIER_URL: url }: Pick<Environment, 'IMAGE_CLASSIFIER_URL'>,
  ) {
    this.classifier = url ? new ImageClassifierClient({ url, timeoutMs: TIMEOUT_MS }) : null;
    metrics.addLiveCounts(
      'thaw_image_classifications_total',
      'Uploaded images for the image classifier, by outcome',
      () => Object.entries(this.outcomes).map(([outcome, count]) => [{ outcome }, count] as const),
    );
  }

  /** Whether the classifier considers the image explicit. Without an answer there is no opinion: false. */
  async isExplicit(image: ClassifiableImage): Promise<boolean> {
    const { classifier } = this;
    if (!classifier) return false;
    const opinion = await this.limiter.ask(() => classifier.classify(image));
    const outcome = opinion.outcome === 'answered' ? describe(opinion.answer) : opinion.outcome;
    this.outcomes[outcome] += 1;
    return outcome === 'explicit';
  }
}

const describe = (explicit: number): Outcome => (explicit >= EXPLICIT_FROM ? 'explicit' : 'harmless');
