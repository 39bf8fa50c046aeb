import { preferenceSchema } from '@thaw/contract/scalars';
import { type ReactNode } from 'react';
import { Stage } from '@/features/random-chat/components/stage';
import { copy } from '@/features/random-chat/copy';
import { randomChat, useRandomChat } from '@/features/random-chat/stores/random-chat.store';
import { useIsConnected } from '@/lib/socket/connection';
import { Button } from '@/ui/button';
import { ChoiceGroup } from '@/ui/choice-group';

const choices = preferenceSchema.options.map((value) => ({ value, label: copy.initial.preferences[value] }));

export const InitialStage = ({ note }: { note?: ReactNode }) => {
  const preference = useRandomChat((state) => state.preference);
  const isConnected = useIsConnected();
  return (
    <Stage dots="resting" phase="initial" title={copy.initial.title} lead={<p>{copy.initial.lead}</p>}>
      {note}
      <ChoiceGroup
        legend={copy.initial.preference}
        value={preference}
        choices={choices}
        onChoose={randomChat.choosePreference}
      />
      <Button size="lg" className="w-full" disabled={!isConnected} onClick={randomChat.startSearch}>
        {isConnected ? copy.initial.find : copy.initial.connecting}
      </Button>
    </Stage>
  );
};
