const adjectives =
  'amber,bold,brave,bright,calm,candid,cheery,clever,cosy,curious,dapper,eager,fair,fond,gentle,glad,golden,happy,honest,humble,jolly,keen,kind,lively,lucky,mellow,merry,mild,neat,nimble,patient,placid,plucky,polite,proud,quick,quiet,rapid,ready,silver,sincere,smart,snowy,spry,steady,sunny,swift,tidy,warm,witty'.split(
    ',',
  );
const animals =
  'badger,bear,beaver,bison,bobcat,cat,cheetah,crane,curlew,deer,dolphin,dove,eagle,egret,elk,falcon,ferret,finch,fox,gecko,hare,hawk,hedgehog,heron,ibex,jay,kestrel,koala,lark,lemur,lynx,marmot,marten,mole,moose,newt,otter,owl,panda,penguin,puffin,quail,rabbit,raven,robin,seal,sparrow,stork,swan,tern,tiger,turtle,walrus,weasel,whale,wombat,wren,yak,zebra'.split(
    ',',
  );

/**
 * A neutral name, «quiet-otter-4821», made of chance alone: one made from an e-mail address would tell strangers who
 * somebody is (A06).
 * @param randomInt a whole number from 0 up to, but without, its argument
 */
export const generateHandle = (randomInt: (below: number) => number): string => {
  const pick = (words: readonly string[]) => words[randomInt(words.length)] ?? '';
  return `${pick(adjectives)}-${pick(animals)}-${randomInt(9_000) + 1_000}`;
};
