import { AddFriend } from '@/features/friends/components/add-friend';
import { type HistoryPartner } from '@/features/history/history-partner';
import { useIsBlocked } from '@/features/safety/api/blocks';
import { PersonMenu } from '@/features/safety/components/person-menu';

/**
 * The actions on a past partner. A blocked partner cannot be added as a friend. An unknown partner (their profile is
 * hidden, perhaps because they have blocked the user) can only be reported.
 */
export const HistoryActions = ({ userId, partner }: { userId: number; partner: HistoryPartner }) => {
  const { id, nameId, allowsFriendRequest, historyId, isReportable, isUnknown } = partner;
  const isBlocked = useIsBlocked(userId, id);
  if (isUnknown && !isReportable) return null;
  return (
    <>
      {allowsFriendRequest && !isBlocked && !isUnknown ? (
        <AddFriend userId={userId} personId={id} place="history" describedBy={nameId} />
      ) : null}
      <PersonMenu
        userId={userId}
        person={partner}
        reportedChat={isReportable ? { historyId } : undefined}
        isBlocked={isBlocked}
        isUnknown={isUnknown}
      />
    </>
  );
};
