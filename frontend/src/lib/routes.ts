// Request and response types by path: the contract's table, looked up with paths as pages write them. Types only.

import type { Routes } from './contract';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Kind = 'data' | 'row';

/** `/api/events/${string}/holds?a=1` as the table has it: `/api/events/{}/holds`. */
type Shape<P extends string> = P extends `${infer Path}?${string}` ? Shape<Path> : P extends `${infer Head}/${infer Rest}` ? `${Hole<Head>}/${Shape<Rest>}` : Hole<P>;
type Hole<Part extends string> = string extends Part ? '{}' : Part;
type Found<M extends Method, P extends string> = P extends unknown ? (`${M} ${Shape<P>}` extends infer R extends keyof Routes ? Routes[R] : never) : never;

/** The reverse: how pages write a path of the table. */
type Written<S extends string> = S extends `${infer Head}{}${infer Rest}` ? `${Head}${string}${Written<Rest>}` : S;
type Asked<S extends string> = S | `${S}?${string}`;

/** A path that the API has. One whose beginning was put together elsewhere is not known here, and not checked. */
export type Known<M extends Method, P extends string> = P extends `/${string}` ? ([Found<M, P>] extends [never] ? never : P) : P;
/** A form may still lack required values: the server's error is then shown beside the field. */
type Filled<B> = B extends Blob | undefined ? B : { [Field in keyof B]: B[Field] | null };
export type Body<M extends Method, P extends string> = P extends `/${string}` ? (Found<M, P> extends { body?: infer B } ? Filled<B> : undefined) : unknown;
export type Answer<M extends Method, P extends string, K extends Kind = 'data'> = P extends `/${string}` ? (Found<M, P> extends { [k in K]: infer D } ? D : undefined) : unknown;

/** The paths whose response has all fields of `T`. */
export type Giving<M extends Method, T, K extends Kind = 'data'> = {
  [R in keyof Routes]: R extends `${M} ${infer S}` ? (Routes[R] extends { [k in K]: infer D } ? ([D] extends [T] ? Asked<Written<S>> : never) : never) : never;
}[keyof Routes];
