import { useMutation } from '@tanstack/react-query';
import { genderSchema, type Gender } from '@thaw/contract/scalars';
import { type SelfUser } from '@thaw/contract/users';
import * as RadioGroup from 'radix-ui/radio-group';
import { useState } from 'react';
import { setGender } from '@/features/profile/api/gender';
import { copy } from '@/features/profile/copy';
import { mergeIntoUser } from '@/lib/identity';
import { Button } from '@/ui/button';
import { Modal } from '@/ui/modal';

const toGender = (value: string): Gender | undefined =>
  genderSchema.options.find((gender) => gender === value);

/** Shown while my user has no gender; cannot be dismissed. */
export const GenderModal = ({ user }: { user: SelfUser }) => {
  const [chosen, setChosen] = useState<Gender>();
  const saving = useMutation({
    mutationFn: (gender: Gender) => setGender(user.id, { gender }),
    onSuccess: mergeIntoUser,
  });
  return (
    <Modal isOpen={user.gender === null} title={copy.gender.title} description={copy.gender.lead}>
      <form
        className="mt-6 grid gap-6"
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen) saving.mutate(chosen);
        }}
      >
        <RadioGroup.Root
          aria-label={copy.gender.legend}
          value={chosen ?? ''}
          onValueChange={(value) => setChosen(toGender(value))}
          className="grid grid-cols-2 gap-3"
        >
          {genderSchema.options.map((gender) => (
            <RadioGroup.Item
              key={gender}
              value={gender}
              className="group flex h-18 items-center justify-between rounded-card border border-input px-5 text-lg font-semibold transition-colors hover:bg-raised data-[state=checked]:border-primary data-[state=checked]:bg-raised"
            >
              {copy.gender.options[gender]}
              <span
                aria-hidden="true"
                className="grid size-5 place-items-center rounded-full border-2 border-input group-data-[state=checked]:border-primary"
              >
                <RadioGroup.Indicator className="size-2.5 rounded-full bg-primary" />
              </span>
            </RadioGroup.Item>
          ))}
        </RadioGroup.Root>
        <div className="grid gap-2">
          <Button type="submit" size="lg" disabled={!chosen || saving.isPending}>
            {saving.isPending ? copy.gender.pending : copy.gender.confirm}
          </Button>
          {saving.isError ? (
            <p role="alert" className="text-sm text-destructive">
              {copy.gender.failed}
            </p>
          ) : null}
        </div>
      </form>
    </Modal>
  );
};
