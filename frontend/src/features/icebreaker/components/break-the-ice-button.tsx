import { ToolbarButton } from '@/chat-ui/toolbar-button';
import { copy } from '@/features/icebreaker/copy';
import { IceCube } from '@/features/icebreaker/components/ice-cube';

export const BreakTheIceButton = ({ isEnabled, onPress }: { isEnabled: boolean; onPress: () => void }) => (
  <ToolbarButton
    icon={<IceCube />}
    label={copy.start}
    disabled={!isEnabled}
    className="bg-ice-surface hover:bg-ice-surface [&_svg]:text-ice"
    onClick={onPress}
  />
);
