/** The part of an OpenAPI 3.1 document that the dashboard reads. */

export interface OpenApi {
  paths: Record<string, { get?: { parameters?: Parameter[] }; post?: { requestBody?: Body } }>;
}

interface Body {
  content?: { "application/json"?: { schema: { properties?: Record<string, unknown> } } };
}

export interface Parameter {
  name: string;
  in: string;
  description?: string;
  schema: ParameterSchema;
  "x-group"?: string;
  "x-secret"?: boolean;
}

export interface ParameterSchema {
  type?: string | string[];
  enum?: string[];
  anyOf?: ParameterSchema[];
  items?: ParameterSchema;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  examples?: unknown[];
}
