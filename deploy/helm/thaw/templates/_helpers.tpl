{{- define "thaw.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{/* Labels of all objects. */}}
{{- define "thaw.labels" -}}
app.kubernetes.io/name: thaw
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{/* Labels by which pods are selected. Arguments: root, component. */}}
{{- define "thaw.selector" -}}
app.kubernetes.io/name: thaw
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "thaw.backendImage" -}}
{{ .root.Values.image.backend }}:{{ .tag | default .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "thaw.secretName" -}}
{{ .Values.existingSecret | default (printf "%s-secrets" (include "thaw.name" .)) }}
{{- end }}

{{/* The keys of the secret, separated by commas. */}}
{{- define "thaw.secretKeys" -}}
{{- $keys := list "database-url" "redis-url" "session-secret" "safety-secret" "receipt-key" }}
{{- if .Values.existingSecret }}
{{- $keys = concat $keys .Values.existingSecretKeys }}
{{- else }}
{{- range $key, $value := .Values.secrets }}
{{- if and $value (not (has $key $keys)) }}
{{- $keys = append $keys $key }}
{{- end }}
{{- end }}
{{- end }}
{{- join "," $keys }}
{{- end }}

{{/* Refuses incomplete values, and names the missing one. */}}
{{- define "thaw.check" -}}
{{- if not .Values.existingSecret }}
{{- range $key := list "database-url" "redis-url" "session-secret" "safety-secret" "receipt-key" }}
{{- $_ := required (printf "Give existingSecret, or secrets.%s" $key) (index $.Values.secrets $key) }}
{{- end }}
{{- end }}
{{- $s3 := .Values.storage.s3 }}
{{- if not (or $s3.endpoint $s3.bucketPrefix .Values.storage.existingClaim) }}
{{- fail "Give storage.s3.endpoint, storage.s3.bucketPrefix or storage.existingClaim" }}
{{- end }}
{{- end }}

{{/* Environment of every process. */}}
{{- define "thaw.environment" -}}
{{- range $name, $value := .Values.settings }}
{{- if ne (toString $value) "" }}
- { name: {{ $name }}, value: {{ toString $value | quote }} }
{{- end }}
{{- end }}
- { name: PUBLIC_ORIGIN, value: {{ .Values.publicOrigin | quote }} }
- { name: S3_ENDPOINT, value: {{ .Values.storage.s3.endpoint | quote }} }
- { name: S3_REGION, value: {{ .Values.storage.s3.region | quote }} }
- { name: S3_BUCKET_PREFIX, value: {{ .Values.storage.s3.bucketPrefix | quote }} }
- { name: STORAGE_DIR, value: /files }
- { name: REPLICA_ID, valueFrom: { fieldRef: { fieldPath: metadata.name } } }
{{- end }}

{{/* Settings that name the files of the given keys. Arguments: root, keys. */}}
{{- define "thaw.secretFiles" -}}
{{- $present := splitList "," (include "thaw.secretKeys" .root) }}
{{- range $key := .keys }}
{{- if has $key $present }}
- { name: {{ $key | replace "-" "_" | upper }}_FILE, value: /run/thaw/{{ $key }} }
{{- end }}
{{- end }}
{{- end }}

{{/* Volumes of a backend process, which sees its own keys of the secret only. Arguments: root, keys. */}}
{{- define "thaw.volumes" -}}
{{- $present := splitList "," (include "thaw.secretKeys" .root) }}
- name: secrets
  secret:
    secretName: {{ include "thaw.secretName" .root }}
    items:
      {{- range $key := .keys }}
      {{- if has $key $present }}
      - { key: {{ $key }}, path: {{ $key }} }
      {{- end }}
      {{- end }}
- { name: tmp, emptyDir: {} }
{{- if .root.Values.storage.existingClaim }}
- { name: files, persistentVolumeClaim: { claimName: {{ .root.Values.storage.existingClaim }} } }
{{- end }}
{{- end }}

{{- define "thaw.volumeMounts" -}}
- { name: secrets, mountPath: /run/thaw, readOnly: true }
- { name: tmp, mountPath: /tmp }
{{- if .Values.storage.existingClaim }}
- { name: files, mountPath: /files }
{{- end }}
{{- end }}

{{/* The probes of a replica or a worker. If a store is down, a process is not ready but is not restarted. */}}
{{- define "thaw.probes" -}}
startupProbe:
  httpGet: { path: /health/live, port: internal }
  periodSeconds: 2
  failureThreshold: 30
readinessProbe:
  httpGet: { path: /health/ready, port: internal }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 3
livenessProbe:
  httpGet: { path: /health/live, port: internal }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
{{- end }}

{{- define "thaw.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{/* Fields of the spec of every pod. Arguments: root, component, user. */}}
{{- define "thaw.pod" -}}
serviceAccountName: {{ include "thaw.name" .root }}{{ if eq .component "migrate" }}-migrate{{ end }}
automountServiceAccountToken: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user }}
  runAsGroup: {{ .user }}
  fsGroup: {{ .user }}
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{/* Spreads the pods of a component over zones and machines. Arguments: root, component. */}}
{{- define "thaw.spread" -}}
topologySpreadConstraints:
  {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
  - maxSkew: 1
    topologyKey: {{ $key }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ include "thaw.selector" $ | nindent 8 }}
  {{- end }}
{{- end }}
