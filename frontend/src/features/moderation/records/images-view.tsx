import { type BlockedImage } from '@thaw/contract/moderation-records';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { unblockImage } from '@/features/moderation/api/calls';
import { imagesKey, imagesQuery } from '@/features/moderation/api/queries';
import { MutedText } from '@/features/moderation/components/parts';
import { ReasonDialog } from '@/features/moderation/components/reason-dialog';
import { copy as shared } from '@/features/moderation/copy';
import { useModeratorName } from '@/features/moderation/hooks/use-moderator-name';
import { copy } from '@/features/moderation/records/copy';
import { RecordsHeading } from '@/features/moderation/records/records-heading';
import { formatMoment } from '@/features/moderation/spans';
import { ruleTitles } from '@/product/rule-titles';
import { Button } from '@/ui/button';
import { ListSkeleton } from '@/ui/list-skeleton';
import { LoadError } from '@/ui/load-error';
import { toast } from '@/ui/toast-store';

const texts = copy.images;
const shownHashDigits = 12; // of 64

interface ImageRowProps {
  image: BlockedImage;
  onOpenCase: (caseId: number) => void;
  onUnblock: () => void;
}

const ImageRow = ({ image, onOpenCase, onUnblock }: ImageRowProps) => {
  const moderatorName = useModeratorName(image.moderatorId);
  const { caseId } = image;
  return (
    <li className="flex min-h-15 flex-wrap items-center justify-between gap-3 py-2">
      <div>
        <p className="font-semibold">
          {texts.image(image.id)}: {ruleTitles[image.rule]}
        </p>
        <p className="flex flex-wrap gap-x-3 text-sm text-muted-foreground">
          <span>{texts.blockedBy(moderatorName, formatMoment(image.createdAt))}</span>
          <span className="tabular-nums">{texts.hash(image.sha256.slice(0, shownHashDigits))}</span>
          {caseId === null ? null : (
            <Button variant="link" size="sm" className="h-auto px-0" onClick={() => onOpenCase(caseId)}>
              {texts.case(caseId)}
            </Button>
          )}
        </p>
      </div>
      <Button size="sm" variant="secondary" aria-haspopup="dialog" onClick={onUnblock}>
        {texts.unblock}
      </Button>
    </li>
  );
};

interface ImageListProps {
  images: readonly BlockedImage[];
  onOpenCase: (caseId: number) => void;
  onUnblock: (imageId: number) => void;
}

const ImageList = ({ images, onOpenCase, onUnblock }: ImageListProps) => {
  if (images.length === 0) return <MutedText>{texts.empty}</MutedText>;
  return (
    <ul aria-label={texts.list} className="divide-y divide-border">
      {images.map((image) => (
        <ImageRow
          key={image.id}
          image={image}
          onOpenCase={onOpenCase}
          onUnblock={() => onUnblock(image.id)}
        />
      ))}
    </ul>
  );
};

/** The block-list: the images that cannot be sent again. */
export const ImagesView = ({ onOpenCase }: { onOpenCase: (caseId: number) => void }) => {
  const queries = useQueryClient();
  const { data: images, isError, refetch } = useQuery(imagesQuery);
  const [imageIdToUnblock, setImageIdToUnblock] = useState<number | null>(null);
  return (
    <>
      <RecordsHeading title={texts.title} lead={texts.lead} />
      {images ? (
        <ImageList images={images} onOpenCase={onOpenCase} onUnblock={setImageIdToUnblock} />
      ) : isError ? (
        <LoadError text={shared.failed} onRetry={() => void refetch()} />
      ) : (
        <ListSkeleton label={shared.loading} />
      )}
      {imageIdToUnblock === null ? null : (
        // Asks for a confirmation, and not for a reason, because these texts have no `field`.
        <ReasonDialog
          texts={shared.dialogs.unblock}
          send={() => unblockImage(imageIdToUnblock)}
          onDone={() => {
            setImageIdToUnblock(null);
            toast({ title: shared.done.unblocked });
            void queries.invalidateQueries({ queryKey: imagesKey });
          }}
          onDismiss={() => setImageIdToUnblock(null)}
        />
      )}
    </>
  );
};
