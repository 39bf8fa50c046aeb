import { Check, UserRoundCheck, UserRoundPlus } from 'lucide-react';
import { ToolbarButton } from '@/chat-ui/toolbar-button';
import { copy } from '@/features/friends/copy';
import { useAddFriend, type AddFriendState } from '@/features/friends/hooks/use-add-friend';
import { Button, type ButtonProps } from '@/ui/button';

/** Where the button is: in the toolbar of a chat, below a chat that has ended, or in the history. */
type AddFriendPlace = 'toolbar' | 'endedChat' | 'history';

const buttonLook: Record<
  Exclude<AddFriendPlace, 'toolbar'>,
  Pick<ButtonProps, 'variant' | 'size' | 'className'>
> = {
  endedChat: { variant: 'secondary', size: 'lg', className: 'w-full' },
  history: { variant: 'ghost', size: 'sm' },
};

const icons: Record<AddFriendState, typeof Check> = {
  idle: UserRoundPlus,
  sending: UserRoundPlus,
  sent: Check,
  friends: UserRoundCheck,
};

const getLabel = (state: AddFriendState, place: AddFriendPlace): string => {
  switch (state) {
    case 'idle':
    case 'sending':
      return copy.add.idle;
    case 'sent':
      return copy.add.sent[place];
    case 'friends':
      return copy.add.alreadyFriends;
  }
};

export interface AddFriendProps {
  /** The signed-in user. */
  userId: number;
  /** The user to whom the request is sent. */
  personId: number;
  place: AddFriendPlace;
  /** Id of the element with the person's name, where there are several such buttons. */
  describedBy?: string;
}

/** A button that sends a friend request to a person and shows the state of the request. */
export const AddFriend = ({ userId, personId, place, describedBy }: AddFriendProps) => {
  const { state, add } = useAddFriend(userId, personId);
  const Icon = icons[state];
  const label = getLabel(state, place);
  const buttonProps = { disabled: state !== 'idle', 'aria-describedby': describedBy, onClick: add };
  if (place === 'toolbar')
    return <ToolbarButton icon={<Icon aria-hidden="true" />} label={label} {...buttonProps} />;
  return (
    <Button {...buttonLook[place]} {...buttonProps}>
      <Icon aria-hidden="true" />
      {label}
    </Button>
  );
};
