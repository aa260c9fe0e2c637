/** A search for the device to emulate: a text field with a list that the arrow keys move through. */

import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { Field } from "../ui/form/field.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { type Device, type DeviceGroup, matching } from "./devices.ts";

interface DeviceFieldProps {
  label: string;
  aside?: ReactNode;
  name: string;
  groups: DeviceGroup[];
  /** Label of the selected device. */
  shown: string;
  onChoose: (device: Device) => void;
}

export function DeviceField({ groups, shown, onChoose, ...field }: DeviceFieldProps) {
  /** undefined while the list is closed. */
  const [query, setQuery] = useState<string>();
  const [position, setPosition] = useState(0);
  const id = useId();
  const found = matching(groups, query ?? "");
  const devices = found.flatMap((group) => group.devices);
  const isOpen = query !== undefined;
  const marked = devices[Math.min(position, devices.length - 1)];
  const idOf = (device: Device) => `${id}-${devices.indexOf(device)}`;
  const search = (text: string) => {
    setQuery(text);
    setPosition(text === "" ? Math.max(0, indexOf(groups, shown)) : 0);
  };
  const choose = (device: Device) => {
    setQuery(undefined);
    onChoose(device);
  };
  const press = (event: KeyboardEvent<HTMLInputElement>) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (event.key === "Escape") setQuery(undefined);
    else if (event.key === "Enter" && isOpen && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      if (marked) choose(marked);
    } else if (step !== undefined) {
      event.preventDefault();
      if (!isOpen) return search("");
      const next = devices[(devices.indexOf(marked as Device) + step + devices.length) % devices.length];
      if (!next) return;
      setPosition(devices.indexOf(next));
      document.getElementById(idOf(next))?.scrollIntoView({ block: "nearest" });
    }
  };
  return (
    <Field {...field}>
      {(control) => (
        <div className="relative">
          <input
            {...control}
            type="text"
            role="combobox"
            aria-autocomplete="list"
            aria-expanded={isOpen}
            aria-controls={isOpen ? `${id}-devices` : undefined}
            aria-activedescendant={isOpen && marked ? idOf(marked) : undefined}
            autoComplete="off"
            spellCheck={false}
            placeholder={isOpen ? "Search devices" : undefined}
            value={query ?? shown}
            onChange={(event) => search(event.target.value)}
            onClick={() => !isOpen && search("")}
            onBlur={() => setQuery(undefined)}
            onKeyDown={press}
            className="control truncate pr-9"
          />
          <Icon name="choose" className="pointer-events-none absolute top-3 right-3 size-4 text-muted" />
          {isOpen && (
            <div
              id={`${id}-devices`}
              role="listbox"
              aria-label={field.label}
              className="absolute inset-x-0 top-full z-20 mt-1.5 motion-safe:animate-rise max-h-72 min-w-64 overflow-y-auto rounded-xl border border-line bg-surface p-1.5 text-sm shadow-xl"
            >
              {found.map((group) => (
                <DeviceGroupList key={group.title} group={group} marked={marked} idOf={idOf} onChoose={choose} />
              ))}
              {devices.length === 0 && <p className="px-3 py-2 text-muted">No device matches.</p>}
            </div>
          )}
        </div>
      )}
    </Field>
  );
}

/** The index of a device in the list of all groups; -1 if it isn't listed. */
function indexOf(groups: DeviceGroup[], label: string): number {
  return groups.flatMap(({ devices }) => devices).findIndex((device) => device.label === label);
}

const icons: Record<Device["kind"], IconName> = { desktop: "system", phone: "phone", tablet: "tablet" };

interface DeviceGroupListProps {
  group: DeviceGroup;
  marked: Device | undefined;
  idOf: (device: Device) => string;
  onChoose: (device: Device) => void;
}

function DeviceGroupList({ group: { title, devices }, marked, idOf, onChoose }: DeviceGroupListProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be the child of a listbox
    <div role="group" aria-label={title}>
      <p aria-hidden="true" className="px-3 pt-2 pb-1 text-xs font-medium text-muted">
        {title}
      </p>
      {devices.map((device) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus and handles the keys
        <div
          key={device.label}
          id={idOf(device)}
          role="option"
          tabIndex={-1}
          aria-selected={device === marked}
          // Keeps the focus in the field: a blur would close the list before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(device)}
          className="flex cursor-pointer items-center gap-2.5 rounded-lg px-3 py-1.5 hover:bg-line/40 aria-selected:bg-line/70"
        >
          <Icon name={icons[device.kind]} className="size-4 text-muted" />
          <span className="min-w-0 flex-1 truncate">{device.label}</span>
        </div>
      ))}
    </div>
  );
}
