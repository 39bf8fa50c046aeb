import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { BlockedImageEntity } from './blocked-image.entity';

/** The number of bits in which the two difference hashes differ (`#` is XOR, `('x' || …)::bit(64)` parses hex). */
const DISTANCE_SQL = `bit_count(('x' || image.dhash)::bit(64) # ('x' || :dhash)::bit(64))`;

/** Queries of the read model `blocked_images`, which only the projection writes. */
@Injectable()
export class BlockedImageRepository {
  constructor(
    @InjectRepository(BlockedImageEntity) private readonly images: Repository<BlockedImageEntity>,
  ) {}

  /** Finds a blocked file by its SHA-256, for which there is a unique index. */
  findByHash(sha256: string): Promise<BlockedImageEntity | null> {
    return this.images.findOneBy({ sha256 });
  }

  /** The blocked image whose difference hash differs least, in at most `maxDistance` bits. Compares every row. */
  async findNear(dhash: string, maxDistance: number): Promise<BlockedImageEntity | null> {
    return this.images
      .createQueryBuilder('image')
      .where(`${DISTANCE_SQL} <= :maxDistance`)
      .orderBy(DISTANCE_SQL)
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
   * Reserves ids from `conduct_ids`, the sequence that blocks share with cases and reports.
   * @param manager the caller's transaction, so that the caller does not wait for a second connection while it holds
   * one, which can exhaust the pool.
   */
  async reserveIds(count: number, manager: EntityManager): Promise<number[]> {
    const rows = await manager.query<{ id: string }[]>(
      `SELECT nextval('conduct_ids') AS id FROM generate_series(1, $1::int)`,
      [count],
    );
    return rows.map(({ id }) => Number(id));
  }
}
