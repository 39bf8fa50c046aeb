import { limits } from '@thaw/contract/limits';
import { type SelfUser } from '@thaw/contract/users';
import { ImageUp, Trash2 } from 'lucide-react';
import { useRef, type ChangeEvent } from 'react';
import { copy } from '@/features/profile/forms/copy';
import { uploadImage } from '@/product/pictures/upload-image';
import { Avatar } from '@/ui/avatar';
import { Button } from '@/ui/button';
import { toast } from '@/ui/toast-store';

const words = copy.profile;

export interface AvatarFieldProps {
  user: SelfUser;
  /** URL of the picture that the profile gets when it is saved; null for none. */
  picture: string | null;
  isUploading: boolean;
  onUploadingChange: (isUploading: boolean) => void;
  onChange: (picture: string | null) => void;
}

/** Uploads a picture as soon as it is chosen. It becomes the user's picture when the profile is saved. */
export const AvatarField = ({
  user,
  picture,
  isUploading,
  onUploadingChange,
  onChange,
}: AvatarFieldProps) => {
  const fileInput = useRef<HTMLInputElement>(null);
  const chooseButton = useRef<HTMLButtonElement>(null);

  const reportFailure = (error: unknown): void => {
    console.warn('The picture was not uploaded', error);
    toast({ ...words.avatarFailed, tone: 'destructive' });
  };

  const upload = async (file: File): Promise<void> => {
    if (file.size > limits.imageMaxBytes) {
      toast({ ...words.avatarTooLarge, tone: 'destructive' });
      return;
    }
    if (!file.type.startsWith('image/')) {
      reportFailure(new TypeError(`Not an image: ${file.type}`));
      return;
    }
    onUploadingChange(true);
    try {
      onChange(await uploadImage(file, 'avatars', `profiles/${user.id}`));
    } catch (error) {
      reportFailure(error);
    } finally {
      onUploadingChange(false);
    }
  };

  const handleFileChosen = ({ target }: ChangeEvent<HTMLInputElement>): void => {
    const file = target.files?.[0];
    // With an unchanged value, choosing the same file again would fire no event.
    target.value = '';
    if (file) void upload(file);
  };

  const chooseLabel = picture ? words.changePicture : words.choosePicture;

  return (
    <div role="group" aria-label={words.picture} className="flex items-center gap-5">
      <div className="relative">
        <Avatar id={user.id} name={user.username} picture={picture} className="size-20 text-xl" />
        {isUploading ? (
          <span aria-hidden="true" className="absolute inset-0 animate-pulse rounded-full bg-overlay" />
        ) : null}
      </div>
      <div className="grid min-w-0 gap-2">
        <div className="flex flex-wrap gap-2">
          <Button
            ref={chooseButton}
            variant="secondary"
            disabled={isUploading}
            onClick={() => fileInput.current?.click()}
          >
            <ImageUp aria-hidden="true" />
            {isUploading ? words.uploading : chooseLabel}
          </Button>
          {picture && !isUploading ? (
            <Button
              variant="ghost"
              onClick={() => {
                onChange(null);
                // This button disappears together with the picture, so another one gets the focus.
                chooseButton.current?.focus();
              }}
            >
              <Trash2 aria-hidden="true" />
              {words.removePicture}
            </Button>
          ) : null}
        </div>
        <p className="text-sm text-muted-foreground">{words.pictureHint}</p>
      </div>
      <input
        ref={fileInput}
        type="file"
        accept="image/*"
        aria-label={words.picture}
        tabIndex={-1}
        className="hidden"
        onChange={handleFileChosen}
      />
    </div>
  );
};
