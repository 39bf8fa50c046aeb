import { limits } from '@thaw/contract/limits';
import { countCodePoints } from '@thaw/contract/text';
import { type SelfUser } from '@thaw/contract/users';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { saveProfile } from '@/features/profile/api/profile';
import { AvatarField } from '@/features/profile/components/avatar-field';
import { copy } from '@/features/profile/forms/copy';
import { type SavePhase, useSavePhase } from '@/features/profile/use-save-phase';
import { mergeIntoUser } from '@/product/identity';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';

const words = copy.profile;

/** Unsaved changes. A field that is absent shows the stored value. */
interface Draft {
  username?: string;
  /** URL of the picture; null for none. */
  avatar?: string | null;
}

/** Removes saved values from a draft. What the user has entered during the save stays in it. */
const removeSaved = (draft: Draft, saved: Required<Draft>): Draft => {
  const unsaved = { ...draft };
  if (unsaved.username === saved.username) delete unsaved.username;
  if (unsaved.avatar === saved.avatar) delete unsaved.avatar;
  return unsaved;
};

/** What the save button shows. */
type ButtonState = SavePhase | 'unchanged';

const buttonVariants = {
  unchanged: 'secondary',
  idle: 'default',
  loading: 'default',
  success: 'default',
  error: 'destructive',
} as const satisfies Record<ButtonState, string>;

export const ProfileForm = ({ user }: { user: SelfUser }) => {
  const [draft, setDraft] = useState<Draft>({});
  const [isUploading, setUploading] = useState(false);
  const { phase, showSaving, showSaved, showFailed, hideOutcome } = useSavePhase();

  const shownUsername = draft.username ?? user.username;
  const username = shownUsername.trim();
  const avatar = draft.avatar === undefined ? user.avatar : draft.avatar;
  const isChanged = username !== user.username || avatar !== user.avatar;
  const buttonState: ButtonState = phase === 'idle' && !isChanged ? 'unchanged' : phase;
  // A username that is too long can be submitted, although the field marks it. The server refuses it.
  const canSave = isChanged && username !== '' && !isUploading && phase !== 'loading';

  const edit = (changes: Draft): void => {
    setDraft((current) => ({ ...current, ...changes }));
    hideOutcome();
  };

  const save = async (): Promise<void> => {
    showSaving();
    try {
      mergeIntoUser(await saveProfile(user.id, { username, avatar }));
      // The draft has the username as typed, not trimmed. So `shownUsername` is compared with it, not `username`.
      setDraft((current) => removeSaved(current, { username: shownUsername, avatar }));
      showSaved();
    } catch (error) {
      console.warn('The profile was not saved', error);
      showFailed();
    }
  };

  return (
    <form
      noValidate
      className="grid gap-5"
      // `Modal` asks before it discards unsaved changes.
      data-unsaved={isChanged || isUploading}
      onSubmit={(event) => {
        event.preventDefault();
        if (canSave) void save();
      }}
    >
      <AvatarField
        user={user}
        picture={avatar}
        isUploading={isUploading}
        onUploadingChange={setUploading}
        onChange={(picture) => edit({ avatar: picture })}
      />
      <Field
        label={words.username}
        autoComplete="off"
        spellCheck={false}
        value={shownUsername}
        hint={words.usernameHint}
        error={countCodePoints(username) > limits.usernameMaxCodePoints ? words.usernameTooLong : undefined}
        onChange={(event) => edit({ username: event.target.value })}
      />
      <Button type="submit" variant={buttonVariants[buttonState]} disabled={!canSave}>
        {phase === 'success' ? <Check aria-hidden="true" /> : null}
        {words.save[buttonState]}
      </Button>
      <p role="status" className="sr-only">
        {phase === 'idle' ? '' : words.save[phase]}
      </p>
    </form>
  );
};
