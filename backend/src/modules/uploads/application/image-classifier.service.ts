import { Inject, Injectable, Logger } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../config/environment.config';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import { OptionalServerLimiter } from '../../../platform/optional-servers/optional-server.limiter';
import { type ClassifiableImage, ImageClassifierClient } from '../infrastructure/image-classifier.client';

// Source of both figures: docs/decisions/0073-the-url-of-an-image-says-what-a-classifier-found.md.
const TIMEOUT_MS = 3_000;
const MIN_EXPLICIT_SCORE = 0.85;

/**
 * `failed`: the classifier returned no score. `skipped`: it was not asked, because it has failed repeatedly or too many
 * requests are in progress.
 */
type Outcome = 'explicit' | 'harmless' | 'failed' | 'skipped';

/**
 * Asks an image classifier, if the operator has set one up, whether an upload is explicit. Images and scores are not
 * logged.
 */
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
    metrics.addLiveLabelledCounter(
      'thaw_image_classifications_total',
      'Uploaded images for the image classifier, by outcome',
      () => Object.entries(this.outcomes).map(([outcome, count]) => [{ outcome }, count] as const),
    );
  }

  /** Whether the classifier considers the image explicit. False when no score is available. */
  async isExplicit(image: ClassifiableImage): Promise<boolean> {
    const { classifier } = this;
    if (!classifier) return false;
    const result = await this.limiter.ask(() => classifier.classify(image));
    const outcome = result.outcome === 'answered' ? classifyScore(result.answer) : result.outcome;
    this.outcomes[outcome] += 1;
    return outcome === 'explicit';
  }
}

const classifyScore = (score: number): Outcome => (score >= MIN_EXPLICIT_SCORE ? 'explicit' : 'harmless');
