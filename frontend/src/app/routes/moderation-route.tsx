import '@/features/moderation/moderation.css';
import { useState } from 'react';
import { Broken } from '@/app/broken';
import { notFoundPart } from '@/app/routes/not-found-part';
import { useSessionCheck } from '@/app/use-session-check';
import { WithQueries } from '@/app/with-queries';
import { useIdentity } from '@/product/identity';
import { createPart, LoadedPart } from '@/ui/loaded-part';

const moderationPart = createPart(
  async () => (await import('@/features/moderation/components/moderation')).Moderation,
);

const NotFound = () => (
  <LoadedPart part={notFoundPart} renderFailure={(failure) => <Broken {...failure} />}>
    {(NotFoundRoute) => <NotFoundRoute />}
  </LoadedPart>
);

/** The tool for moderators; its code is loaded for moderators only. All others see the Not Found page. */
const ModerationGate = () => {
  const user = useIdentity((state) => state.user);
  const { isChecked, isModerator: isModeratorOnServer } = useSessionCheck(user?.id);
  /** The server has refused a request of the tool: the user is no longer a moderator. */
  const [isForbidden, setForbidden] = useState(false);
  if (!user || isForbidden) return <NotFound />;
  if (!user.isModerator && !isModeratorOnServer) return isChecked ? <NotFound /> : null;
  return (
    <LoadedPart part={moderationPart} renderFailure={(failure) => <Broken {...failure} />}>
      {(Moderation) => <Moderation myId={user.id} onForbidden={() => setForbidden(true)} />}
    </LoadedPart>
  );
};

export const ModerationRoute = () => (
  <WithQueries>
    <ModerationGate />
  </WithQueries>
);
