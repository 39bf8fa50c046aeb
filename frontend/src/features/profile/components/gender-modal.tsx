import { useMutation } from '@tanstack/react-query';
import { genderSchema, type Gender } from '@thaw/contract/scalars';
import { type SelfUser } from '@thaw/contract/users';
import { useEffect, useState } from 'react';
import { setGender } from '@/features/profile/api/gender';
import { copy } from '@/features/profile/copy';
import { openAnonymousPrompt } from '@/features/profile/profile-dialogs.store';
import { pageLimits } from '@/lib/page-limits';
import { mergeIntoUser } from '@/product/identity';
import { Button } from '@/ui/button';
import { ChoiceGroup } from '@/ui/choice-group';
import { Modal } from '@/ui/modal';

const choices = genderSchema.options.map((value) => ({ value, label: copy.gender.options[value] }));

/** Asks a user without a gender for it; cannot be dismissed. Afterwards an anonymous user is offered an account. */
export const GenderModal = ({ user }: { user: SelfUser }) => {
  const [chosen, setChosen] = useState<Gender>();
  const genderChange = useMutation({
    mutationFn: (gender: Gender) => setGender(user.id, { gender }),
    onSuccess: mergeIntoUser,
  });
  const shouldOfferAccount = genderChange.isSuccess && user.isAnonymous;
  useEffect(() => {
    if (!shouldOfferAccount) return;
    const timer = setTimeout(openAnonymousPrompt, pageLimits.anonymousPromptDelayMs);
    return () => clearTimeout(timer);
  }, [shouldOfferAccount]);
  return (
    <Modal isOpen={user.gender === null} title={copy.gender.title} description={copy.gender.lead}>
      <form
        className="mt-6 grid gap-6"
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen) genderChange.mutate(chosen);
        }}
      >
        <ChoiceGroup
          look="cards"
          legend={copy.gender.legend}
          isLegendHidden
          value={chosen}
          choices={choices}
          onChoose={setChosen}
        />
        <div className="grid gap-2">
          <Button type="submit" size="lg" disabled={!chosen || genderChange.isPending}>
            {genderChange.isPending ? copy.gender.pending : copy.gender.confirm}
          </Button>
          {genderChange.isError ? (
            <p role="alert" className="text-sm text-destructive">
              {copy.gender.failed}
            </p>
          ) : null}
        </div>
      </form>
    </Modal>
  );
};
