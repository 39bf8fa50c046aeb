import { useEffect, useState } from 'react';
import { loadCaseImage } from '@/features/moderation/api/case-image';
import { copy } from '@/features/moderation/copy';
import { ApiError } from '@/lib/api-client';
import { Button } from '@/ui/button';

type Phase =
  | { name: 'covered' | 'confirming' | 'loading' }
  | { name: 'failed'; text: string }
  | { name: 'shown'; url: string };

export interface EvidenceImageProps {
  caseId: number;
  image: { imageId: number; width: number; height: number };
  /** Whether the moderator has to confirm before the image is loaded: true in a case about a minor. */
  isSealed: boolean;
}

const texts = copy.evidence.image;

const describeFailure = (error: unknown): string => {
  if (!(error instanceof ApiError)) return texts.failed;
  if (error.status === 404) return texts.gone;
  return error.serverMessage || texts.failed;
};

/** An image of the evidence, covered until the moderator shows it. The server records each load. */
export const EvidenceImage = ({ caseId, image, isSealed }: EvidenceImageProps) => {
  const { imageId, width, height } = image;
  const [phase, setPhase] = useState<Phase>({ name: 'covered' });
  const url = phase.name === 'shown' ? phase.url : undefined;
  // Frees the image when it is covered again or unmounted.
  useEffect(() => {
    if (url === undefined) return;
    return () => URL.revokeObjectURL(url);
  }, [url]);

  const load = async (): Promise<void> => {
    setPhase({ name: 'loading' });
    try {
      const blob = await loadCaseImage(caseId, imageId);
      setPhase({ name: 'shown', url: URL.createObjectURL(blob) });
    } catch (error) {
      setPhase({ name: 'failed', text: describeFailure(error) });
    }
  };
  const show = (): void => {
    // After a failed load, the moderator has already confirmed.
    if (isSealed && phase.name === 'covered') setPhase({ name: 'confirming' });
    else void load();
  };
  const cover = (): void => setPhase({ name: 'covered' });
  const canShow = phase.name === 'covered' || phase.name === 'failed';

  if (phase.name === 'shown')
    return (
      <figure className="grid justify-items-start gap-2">
        <img
          src={phase.url}
          width={width}
          height={height}
          alt={texts.alt(imageId)}
          className="moderation-image"
        />
        <Button autoFocus size="sm" variant="secondary" onClick={cover}>
          {texts.cover}
        </Button>
      </figure>
    );
  return (
    <div className="moderation-cover" role="group" aria-label={copy.decide.image(imageId)}>
      <p className="text-sm text-muted-foreground">{texts.covered(width, height)}</p>
      {phase.name === 'loading' ? (
        <p role="status" className="text-sm">
          {texts.loading}
        </p>
      ) : null}
      {phase.name === 'confirming' ? (
        <>
          <p role="alert" className="text-base font-semibold">
            {texts.sealed}
          </p>
          <div className="flex flex-wrap justify-center gap-2">
            <Button autoFocus size="sm" variant="secondary" onClick={cover}>
              {texts.keep}
            </Button>
            <Button size="sm" variant="outline" onClick={() => void load()}>
              {texts.open}
            </Button>
          </div>
        </>
      ) : null}
      {phase.name === 'failed' ? (
        <p role="alert" className="text-sm text-destructive">
          {phase.text}
        </p>
      ) : null}
      {canShow ? (
        <Button size="sm" variant="secondary" aria-label={`${texts.show} ${imageId}`} onClick={show}>
          {texts.show}
        </Button>
      ) : null}
    </div>
  );
};
