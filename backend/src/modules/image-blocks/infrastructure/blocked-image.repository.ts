import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { BlockedImageEntity } from './blocked-image.entity';

/** Queries of the read model `blocked_images`, which only the projection writes. */
@Injectable()
export class BlockedImageRepository {
  constructor(
    @InjectRepository(BlockedImageEntity) private readonly images: Repository<BlockedImageEntity>,
  ) {}

  /** One query by a unique index. */
  findByHash(sha256: string): Promise<BlockedImageEntity | null> {
    return this.images.findOneBy({ sha256 });
  }

  /** The entry whose difference hash differs least, in at most `maxDistance` bits. Compares every entry. */
  async findNear(dhash: string, maxDistance: number): Promise<BlockedImageEntity | null> {
    return this.images
      .createQueryBuilder('image')
      .where(`bit_count(('x' || image.dhash)::bit(64) # ('x' || :dhash)::bit(64)) <= :maxDistance`)
      .orderBy(`bit_count(('x' || image.dhash)::bit(64) # ('x' || :dhash)::bit(64))`)
      .addOrderBy('image.id')
      .setParameters({ dhash, maxDistance })
      .limit(1)
      .getOne();
  }

  find(id: number): Promise<BlockedImageEntity | null> {
    return this.images.findOneBy({ id });
  }

  /** All blocked images, newest first. */
  findAll(): Promise<BlockedImageEntity[]> {
    return this.images.find({ order: { id: 'DESC' } });
  }

  /**
   * Takes numbers of the sequence `conduct_ids`, which never returns a number twice.
   * @param manager the transaction: waiting for a second connection, while one is held, can use up the pool.
   */
  async reserveIds(count: number, manager: EntityManager): Promise<number[]> {
    const rows = await manager.query<{ id: string }[]>(
      `SELECT nextval('conduct_ids') AS id FROM generate_series(1, $1::int)`,
      [count],
    );
    return rows.map(({ id }) => Number(id));
  }
}
