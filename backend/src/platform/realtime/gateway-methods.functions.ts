import type { INestApplicationContext } from '@nestjs/common';
import { MetadataScanner, ModulesContainer } from '@nestjs/core';
import {
  GATEWAY_METADATA,
  MESSAGE_MAPPING_METADATA,
  MESSAGE_METADATA,
} from '@nestjs/websockets/constants.js';
import type { WebSocket } from 'ws';
import type { InboundFrame } from './inbound-frame.model';

/** A gateway method that is bound to its gateway, as the WebSocket adapter calls it. */
export type GatewayMethod = (frame: InboundFrame) => Promise<void> | void;

/**
 * A gateway method with Nest's signature. The adapter passes undefined for `socket`: methods take the socket from the
 * frame.
 */
type UnboundMethod = (
  this: object,
  socket: WebSocket | undefined,
  frame: InboundFrame,
) => Promise<void> | void;

/**
 * Returns the methods of all gateways, by event. To save CPU, the adapter calls them without Nest's pipeline
 * (docs/decisions/0002-frames-go-directly-to-gateway-methods.md). Guards, pipes and filters are not needed, because the
 * adapter validates every frame by its schema and answers errors itself.
 * @throws Error if two methods handle the same event.
 */
export const collectGatewayMethods = (application: INestApplicationContext): Map<string, GatewayMethod> => {
  const scanner = new MetadataScanner();
  const methods = new Map<string, GatewayMethod>();
  for (const module of application.get(ModulesContainer).values()) {
    for (const { instance, metatype } of module.providers.values()) {
      if (!instance || !metatype || !Reflect.hasMetadata(GATEWAY_METADATA, metatype)) continue;
      const gateway = instance as Record<string, UnboundMethod>;
      for (const name of scanner.getAllMethodNames(Object.getPrototypeOf(instance) as object)) {
        const method = gateway[name];
        if (!method || !Reflect.hasMetadata(MESSAGE_MAPPING_METADATA, method)) continue;
        const event = String(Reflect.getMetadata(MESSAGE_METADATA, method));
        if (methods.has(event)) throw new Error(`Two gateway methods handle ${event}`);
        methods.set(event, (frame) => method.call(gateway, undefined, frame));
      }
    }
  }
  return methods;
};
