import { ToolbarButton } from '@/chat-ui/toolbar-button';
import { IceCube } from '@/features/random-chat/icebreaker/components/ice-cube';
import { copy } from '@/features/random-chat/icebreaker/copy';

export const BreakTheIceButton = ({ isEnabled, onPress }: { isEnabled: boolean; onPress: () => void }) => (
  <ToolbarButton
    icon={<IceCube />}
    label={copy.start}
    disabled={!isEnabled}
    className="bg-ice-surface hover:bg-ice-surface [&_svg]:text-ice"
    onClick={onPress}
  />
);
