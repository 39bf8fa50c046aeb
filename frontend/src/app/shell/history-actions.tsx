import { AddFriend } from '@/features/friends/components/add-friend';
import { type HistoryPartner } from '@/features/history/history-partner';
import { useIsBlocked } from '@/features/safety/api/blocks';
import { MoreAbout } from '@/features/safety/components/more-about';

/** The actions on a past partner. A blocked one cannot be added as a friend. */
export const HistoryActions = ({ userId, partner }: { userId: number; partner: HistoryPartner }) => {
  const { id, nameId, isRecent } = partner;
  const isBlocked = useIsBlocked(userId, id);
  return (
    <>
      {isRecent && !isBlocked ? (
        <AddFriend userId={userId} personId={id} place="history" describedBy={nameId} />
      ) : null}
      <MoreAbout userId={userId} person={partner} isBlocked={isBlocked} />
    </>
  );
};
