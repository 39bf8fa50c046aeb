import { copy } from '@/features/profile/copy';
import { closeProfileDialog, openAnonymousConversion } from '@/features/profile/profile-dialogs.store';
import { Button } from '@/ui/button';

/** Content of the dialog that offers an account to an anonymous user, once, after they have chosen their gender. */
export const AnonymousPrompt = () => (
  <div className="mt-6 grid gap-3">
    <Button size="lg" onClick={openAnonymousConversion}>
      {copy.anonymousPrompt.create}
    </Button>
    <Button size="lg" variant="secondary" onClick={closeProfileDialog}>
      {copy.anonymousPrompt.later}
    </Button>
  </div>
);
