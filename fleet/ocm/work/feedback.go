package work

import (
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/util/jsonpath"
	workv1 "open-cluster-management.io/api/work/v1"
)

// feedbackSynced is the condition of a manifest that says whether its rules could be evaluated.
const feedbackSynced = "StatusFeedbackSynced"

// wellKnownPaths are the values that the rule WellKnownStatus asks for, by kind.
var wellKnownPaths = map[schema.GroupVersionKind][]workv1.JsonPath{
	{Group: "apps", Version: "v1", Kind: "Deployment"}: {
		{Name: "ReadyReplicas", Path: ".status.readyReplicas"},
		{Name: "Replicas", Path: ".status.replicas"},
		{Name: "AvailableReplicas", Path: ".status.availableReplicas"},
	},
	{Group: "apps", Version: "v1", Kind: "DaemonSet"}: {
		{Name: "NumberReady", Path: ".status.numberReady"},
		{Name: "DesiredNumberScheduled", Path: ".status.desiredNumberScheduled"},
		{Name: "NumberAvailable", Path: ".status.numberAvailable"},
	},
	{Group: "batch", Version: "v1", Kind: "Job"}: {
		{Name: "JobComplete", Path: `.status.conditions[?(@.type=="Complete")].status`},
		{Name: "JobSucceeded", Path: ".status.succeeded"},
	},
	{Version: "v1", Kind: "Pod"}: {
		{Name: "PodReady", Path: `.status.conditions[?(@.type=="Ready")].status`},
		{Name: "PodPhase", Path: ".status.phase"},
	},
}

// evaluate reads from an object what the rules ask for. A rule that fails costs its own value
// only; the condition tells of all that failed.
func evaluate(object *unstructured.Unstructured, rules []workv1.FeedbackRule) ([]workv1.FeedbackValue, metav1.Condition) {
	synced := metav1.Condition{Type: feedbackSynced, Status: metav1.ConditionTrue, Reason: "StatusFeedbackSynced"}
	if len(rules) == 0 {
		synced.Reason = "NoStatusFeedbackSynced"
		return nil, synced
	}
	var values []workv1.FeedbackValue
	var errs []error
	for _, rule := range rules {
		ofRule, err := evaluateRule(object, rule)
		values = append(values, ofRule...)
		if err != nil {
			errs = append(errs, err)
		}
	}
	if err := utilerrors.NewAggregate(errs); err != nil {
		synced.Status = metav1.ConditionFalse
		synced.Reason = "StatusFeedbackSyncFailed"
		synced.Message = fmt.Sprintf("Sync status feedback failed with error %v", err)
	}
	return values, synced
}

func evaluateRule(object *unstructured.Unstructured, rule workv1.FeedbackRule) ([]workv1.FeedbackValue, error) {
	paths := rule.JsonPaths
	if rule.Type == workv1.WellKnownStatusType {
		kind := object.GroupVersionKind()
		if paths = wellKnownPaths[kind]; paths == nil {
			return nil, fmt.Errorf("cannot find the wellknown statuses for resource with gvk %s", kind)
		}
	}
	var values []workv1.FeedbackValue
	var errs []error
	for _, path := range paths {
		value, err := evaluatePath(object, path)
		if err != nil {
			errs = append(errs, err)
		}
		if value != nil {
			values = append(values, *value)
		}
	}
	return values, utilerrors.NewAggregate(errs)
}

// evaluatePath reads one value; it is nil, without an error, where the object has none. Of
// several values the first counts.
func evaluatePath(object *unstructured.Unstructured, path workv1.JsonPath) (*workv1.FeedbackValue, error) {
	if path.Version != "" && path.Version != object.GroupVersionKind().Version {
		return nil, fmt.Errorf("version set in the path %s is not matched for the related resource", path.Name)
	}
	parsed := jsonpath.New(path.Name).AllowMissingKeys(true)
	if err := parsed.Parse("{" + path.Path + "}"); err != nil {
		return nil, fmt.Errorf("failed to parse json path %s of %s with error: %w", path.Path, path.Name, err)
	}
	results, err := parsed.FindResults(object.Object)
	if err != nil {
		return nil, fmt.Errorf("failed to find value for %s with error: %w", path.Name, err)
	}
	if len(results) == 0 || len(results[0]) == 0 || !results[0][0].IsValid() {
		return nil, nil
	}
	found := results[0][0].Interface()
	if found == nil {
		return nil, nil
	}
	value, err := fieldValue(found)
	if err != nil {
		return nil, fmt.Errorf("the type %T of the value for %s is not found", found, path.Name)
	}
	return &workv1.FeedbackValue{Name: path.Name, Value: value}, nil
}

// fieldValue types a value. Only whole numbers, strings and booleans travel.
func fieldValue(found any) (workv1.FieldValue, error) {
	switch value := found.(type) {
	case int64:
		return workv1.FieldValue{Type: workv1.Integer, Integer: &value}, nil
	case string:
		return workv1.FieldValue{Type: workv1.String, String: &value}, nil
	case bool:
		return workv1.FieldValue{Type: workv1.Boolean, Boolean: &value}, nil
	}
	return workv1.FieldValue{}, errors.New("neither integer, string nor boolean")
}
