import { TriangleAlert } from 'lucide-react';
import { copy } from '@/features/profile/copy';
import { openAnonymousConversion } from '@/features/profile/profile-dialogs.store';
import { Button } from '@/ui/button';

const words = copy.anonymousWarning;

export const AnonymousWarning = () => (
  <div className="mb-6 grid gap-3 rounded-card border border-border bg-raised p-4">
    <div className="flex gap-3">
      <TriangleAlert aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-warning" />
      <div className="grid gap-1">
        <p className="text-base font-semibold">{words.title}</p>
        <p className="text-base text-muted-foreground">{words.lead}</p>
      </div>
    </div>
    <Button onClick={openAnonymousConversion}>{words.create}</Button>
  </div>
);
