/** All numbers are in bytes. Paths begin with the name of the block: `S.lights[].position`. */

export type Numbers = Record<string, number>;

export type Type =
  | { kind: "scalar"; scalar: string }
  | { kind: "vector"; scalar: string; length: number }
  | { kind: "matrix"; scalar: string; rows: number; columns: number; order: "row" | "column" }
  | { kind: "array"; element: Type; count: number | null }
  | { kind: "struct"; name: string; base?: Type; members: Member[] }
  | { kind: "enum"; name: string; underlying: string }
  | { kind: "pointer"; pointee: string }
  | { kind: "handle"; resource: string }
  | { kind: "interface"; name: string; any_value_size: number }
  | { kind: "resource"; resource: string };

export interface Member {
  name: string;
  type: Type;
  bit_width?: number;
  packoffset?: number;
  vk_offset?: number;
}

export interface Block {
  name: string;
  kind: string;
  count: number | null;
  type: Type;
}

export interface Authority {
  compiler?: string;
  version?: string;
  flags?: string;
  from?: string;
  spec?: string;
  document?: string;
  checked?: string;
}

/** The n-th scalar has the value n; bytes that no value owns are `a5`. */
export interface Image {
  bytes: string;
  values: Record<string, number | boolean>;
}

export interface Layout {
  rules: string;
  claim: "listed" | "accessed" | "documented";
  authority: Authority;
  partial: boolean;
  offsets: Numbers;
  array_strides: Numbers;
  matrix_strides: Numbers;
  sizes: Numbers;
  alignments?: Numbers;
  images?: Record<string, Image>;
}

export interface Place {
  unit: string;
  space: number;
  index: number;
  count: number | null;
}

export interface Bindings {
  target: string;
  convention: string;
  authority: Authority;
  partial: boolean;
  places: Record<string, Place[]>;
}

export interface Invocation {
  profile?: string;
  entry?: string;
  options?: string[];
  used?: string[];
  unused?: string[];
}

export interface Vector {
  id: string;
  summary: string;
  source: string;
  defines?: Record<string, string>;
  sixteen_bit_types: boolean;
  difficulty: "basic" | "common" | "rare";
  tags: string[];
  bugs?: string[];
  blocks: Block[];
  layouts: Layout[];
  invocation?: Invocation;
  bindings?: Bindings[];
  refused?: { by: string; message?: string }[];
}

export interface RuleSet {
  name: string;
  summary: string;
  source: string;
  example: { declaration: string; offsets: number[]; size: number };
  columns: Record<string, unknown>;
}

export interface UsedBy {
  title: string;
  command: string;
  since?: string;
  blocks: Record<string, string>;
}

export const schema: number;
export const layoutproof: string;
export const vectors: Vector[];
export const rules: RuleSet[];
export const usedBy: UsedBy[];
