{{- /* Fills what is null, or absent as with `--reuse-values` of an older chart, with the defaults. First in every template. */ -}}
{{- define "tintype.defaults" -}}
{{- include "tintype.fill" (dict "values" .Values "defaults" (.Files.Get "files/values.yaml" | fromYaml)) -}}
{{- end }}

{{- define "tintype.fill" -}}
{{- $values := .values -}}
{{- range $key, $default := .defaults -}}
{{- $value := index $values $key -}}
{{- if kindIs "invalid" $value -}}
{{- $_ := set $values $key $default -}}
{{- /* A null removes a resource or a label. */ -}}
{{- else if and (kindIs "map" $default) (not (has $key (list "resources" "labels"))) -}}
{{- include "tintype.fill" (dict "values" $value "defaults" $default) -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- /* Begins the name of every object, with room for suffixes. Names of Services are DNS labels, those of releases may be longer, have
dots or begin with a digit; the hash then keeps releases apart. */ -}}
{{- define "tintype.name" -}}
{{- $name := contains "tintype" .Release.Name | ternary .Release.Name (printf "%s-tintype" .Release.Name) -}}
{{- if not (regexMatch "^[a-z][-a-z0-9]{0,39}$" $name) -}}
{{- $name = printf "tintype-%s-%s" (.Release.Name | replace "." "-" | trunc 22) (.Release.Name | sha256sum | trunc 8) -}}
{{- end -}}
{{- $name -}}
{{- end }}

{{- define "tintype.selector" -}}
app.kubernetes.io/name: tintype
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "tintype.someOf" -}}
matchLabels:
  app.kubernetes.io/name: tintype
  app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
matchExpressions:
  - { key: app.kubernetes.io/component, operator: In, values: {{ toJson .components }} }
{{- end }}

{{- define "tintype.labels" -}}
{{ include "tintype.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" | quote }}
{{- end }}

{{- define "tintype.image" -}}
{{- include "tintype.imageOf" (dict "root" . "name" .Values.image.name "digest" .Values.image.digest) -}}
{{- end }}

{{- define "tintype.imageOf" -}}
{{- $version := .digest | empty | ternary (printf ":%s" (default .root.Chart.AppVersion .root.Values.image.tag)) (printf "@%s" .digest) -}}
{{- printf "%s/%s%s" (.root.Values.image.registry | trimSuffix "/") .name $version | quote -}}
{{- end }}

{{- define "tintype.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "tintype.secret" -}}
{{- default (printf "%s-bundled" (include "tintype.name" .)) .Values.existingSecret | quote -}}
{{- end }}

{{- define "tintype.serviceAccount" -}}
{{- default (include "tintype.name" .) .Values.serviceAccount.name | quote -}}
{{- end }}

{{- /* Numbers of a values file are floats, which print as 3e+07, but not in JSON. */ -}}
{{- define "tintype.text" -}}
{{- kindIs "string" . | ternary . (toJson .) | quote -}}
{{- end }}

{{- /* Settings of the API and the workers; what the chart knows comes last, so it wins. */ -}}
{{- define "tintype.env" -}}
{{- range $name, $value := .root.Values.settings }}
- name: {{ $name }}
  value: {{ include "tintype.text" $value }}
{{- end }}
- name: ROLE
  value: {{ .role }}
- name: PORT
  value: "3000"
- name: METRICS_PORT
  value: "9090"
- name: MAX_CONCURRENT_SCREENSHOTS
  value: {{ .root.Values.worker.captures | int | quote }}
{{- with .root.Values.api.url }}
- name: PUBLIC_URL
  value: {{ . | quote }}
{{- end }}
{{- if .root.Values.dashboard.enabled }}
- name: WEB_PUBLIC_URL
  value: {{ .root.Values.dashboard.url | quote }}
# Captured pages can't reach the dashboard's server by its name.
- name: WEB_HOST
  value: {{ include "tintype.name" .root }}-web
- name: WEB_PORT
  value: "3001"
{{- end }}
{{- end }}

{{- define "tintype.podSpec" -}}
serviceAccountName: {{ include "tintype.serviceAccount" .root }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- include "tintype.pullSecrets" .root }}
{{- with .values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  {{- range $key := list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ include "tintype.selector" $ | nindent 8 }}
  {{- end }}
{{- end }}

{{- define "tintype.extra" -}}
{{- with . }}{{ toYaml . }}{{ end -}}
{{- end }}

{{- define "tintype.podMeta" -}}
metadata:
  labels: {{ include "tintype.labels" . | nindent 4 }}
    {{- with .values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .values.podAnnotations }}
  annotations: {{ toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

{{- /* Named by its content: releases and versions on one node have a file each. */ -}}
{{- define "tintype.profile" -}}
chromium-{{ .Files.Get "files/seccomp-chromium.json" | sha256sum | trunc 12 }}.json
{{- end }}

{{- define "tintype.localhostProfile" -}}
{{- if eq .Values.worker.seccomp "operator" }}operator/{{ include "tintype.name" . }}-chromium.json
{{- else if eq .Values.worker.seccomp "installed" }}tintype/chromium.json
{{- else }}tintype/{{ include "tintype.profile" . }}
{{- end -}}
{{- end }}

{{- define "tintype.containerSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "tintype.probes" -}}
{{- /* A start waits for the database for up to a minute. */ -}}
startupProbe:
  httpGet: { path: /health/live, port: http }
  periodSeconds: 2
  failureThreshold: 50
livenessProbe:
  httpGet: { path: /health/live, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /health/ready, port: http }
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}

{{- define "tintype.dns" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
  to:
    - namespaceSelector: {}
      podSelector:
        matchLabels: { k8s-app: kube-dns }
    # A cache on each node, and Cloud DNS of GKE, at the address of the metadata, which is on another port.
    - ipBlock: { cidr: 169.254.20.10/32 }
    - ipBlock: { cidr: 169.254.169.254/32 }
{{- end }}

{{- /* Selects the release's own series, by the labels that a ServiceMonitor adds. */ -}}
{{- define "tintype.ownSeries" -}}
namespace="{{ .Release.Namespace }}",service=~"{{ include "tintype.name" . }}-(api|worker)-metrics"
{{- end }}

{{- define "tintype.scalingBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: 0
  policies:
    - { type: Percent, value: 100, periodSeconds: 15 }
scaleDown:
  stabilizationWindowSeconds: 300
  policies:
    - { type: Percent, value: 10, periodSeconds: 60 }
{{- end }}
