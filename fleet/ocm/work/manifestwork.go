package work

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	workv1 "open-cluster-management.io/api/work/v1"
)

// scrapeType says how the agent learns that an object's feedback changed.
type scrapeType string

const (
	scrapePoll  scrapeType = "Poll"
	scrapeWatch scrapeType = "Watch"
)

// manifestWork is a ManifestWork as the agent reads it: the published type, and the feedback
// scrape type, which hubs have had for longer than the Go module that this project builds with.
// The agent only ever patches works, so a field that is in neither is never lost.
type manifestWork struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   workSpec                  `json:"spec"`
	Status workv1.ManifestWorkStatus `json:"status"`
}

// workSpec is the published spec with its manifest configs replaced by richer ones: of two
// fields with one JSON name, the decoder fills the outer.
type workSpec struct {
	workv1.ManifestWorkSpec `json:",inline"`

	ManifestConfigs []manifestConfig `json:"manifestConfigs,omitempty"`
}

// manifestConfig is what a work asks for some of its manifests.
type manifestConfig struct {
	workv1.ManifestConfigOption `json:",inline"`

	FeedbackScrapeType scrapeType `json:"feedbackScrapeType,omitempty"`
}

// manifestWorkList is a page of works.
type manifestWorkList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`

	Items []manifestWork `json:"items"`
}

// managed tells whether the agent has put its finalizer on the work. Nothing is applied for a
// work that it has not: its objects could not be cleaned up.
func (w *manifestWork) managed() bool {
	return slices.Contains(w.Finalizers, workv1.ManifestWorkFinalizer)
}

// applied tells whether an apply has been reported, whatever its outcome.
func (w *manifestWork) applied() bool {
	return meta.FindStatusCondition(w.Status.Conditions, workv1.WorkApplied) != nil
}

// DeepCopyObject makes manifestWork a runtime.Object.
func (w *manifestWork) DeepCopyObject() runtime.Object {
	out := &manifestWork{TypeMeta: w.TypeMeta}
	w.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	w.Spec.ManifestWorkSpec.DeepCopyInto(&out.Spec.ManifestWorkSpec)
	w.Status.DeepCopyInto(&out.Status)
	for _, config := range w.Spec.ManifestConfigs {
		out.Spec.ManifestConfigs = append(out.Spec.ManifestConfigs, manifestConfig{
			ManifestConfigOption: *config.ManifestConfigOption.DeepCopy(),
			FeedbackScrapeType:   config.FeedbackScrapeType,
		})
	}
	return out
}

// DeepCopyObject makes manifestWorkList a runtime.Object.
func (l *manifestWorkList) DeepCopyObject() runtime.Object {
	out := &manifestWorkList{TypeMeta: l.TypeMeta}
	l.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*manifestWork))
	}
	return out
}
