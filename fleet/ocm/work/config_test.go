package work

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	workv1 "open-cluster-management.io/api/work/v1"
)

func TestSelectConfig(t *testing.T) {
	object := workv1.ManifestResourceMeta{Group: "apps", Resource: "deployments", Namespace: "shop-eu", Name: "cart"}
	const (
		matching = `"resourceIdentifier":{"group":"apps","resource":"deployments","namespace":"shop-eu","name":"cart"}`
		globbing = `"resourceIdentifier":{"group":"apps","resource":"deployments","namespace":"shop-*","name":"*"}`
		other    = `"resourceIdentifier":{"group":"apps","resource":"deployments","namespace":"shop-us","name":"cart"}`
		rulesA   = `"feedbackRules":[{"type":"JSONPaths","jsonPaths":[{"name":"a","path":".a"}]}]`
		rulesB   = `"feedbackRules":[{"type":"JSONPaths","jsonPaths":[{"name":"b","path":".b"}]}]`
	)
	for name, row := range map[string]struct {
		configs  string
		rule     string
		strategy workv1.UpdateStrategyType
		scrape   scrapeType
	}{
		"none":                       {`[]`, "", "", ""},
		"no match":                   {`[{` + other + `,` + rulesA + `}]`, "", "", ""},
		"match":                      {`[{` + matching + `,` + rulesA + `,"feedbackScrapeType":"Watch"}]`, "a", "", scrapeWatch},
		"wildcards":                  {`[{` + globbing + `,` + rulesA + `}]`, "a", "", ""},
		"first rules win":            {`[{` + matching + `,` + rulesA + `},{` + globbing + `,` + rulesB + `}]`, "a", "", ""},
		"rules and strategy apart":   {`[{` + matching + `,"updateStrategy":{"type":"ReadOnly"}},{` + globbing + `,` + rulesB + `}]`, "b", "ReadOnly", ""},
		"last scrape type wins":      {`[{` + matching + `,` + rulesA + `,"feedbackScrapeType":"Watch"},{` + globbing + `,"feedbackScrapeType":"Poll"}]`, "a", "", scrapePoll},
		"scrape type alone is void":  {`[{` + matching + `,"feedbackScrapeType":"Watch"}]`, "", "", ""},
		"scrape type of condition's": {`[{` + matching + `,"conditionRules":[{"condition":"C","type":"CEL"}],"feedbackScrapeType":"Watch"}]`, "", "", scrapeWatch},
	} {
		t.Run(name, func(t *testing.T) {
			var configs []manifestConfig
			if err := json.Unmarshal([]byte(row.configs), &configs); err != nil {
				t.Fatal(err)
			}
			got := selectConfig(object, configs)
			rule := ""
			if len(got.FeedbackRules) > 0 {
				rule = got.FeedbackRules[0].JsonPaths[0].Name
			}
			var strategy workv1.UpdateStrategyType
			if got.UpdateStrategy != nil {
				strategy = got.UpdateStrategy.Type
			}
			if diff := cmp.Diff([]any{row.rule, row.strategy, row.scrape}, []any{rule, strategy, got.FeedbackScrapeType}); diff != "" {
				t.Errorf("rule, strategy, scrape type (-want +got):\n%s", diff)
			}
		})
	}
}

func TestManifestWorkKeepsTheScrapeType(t *testing.T) {
	work := &manifestWork{}
	err := json.Unmarshal([]byte(`{
		"metadata": {"name": "w"},
		"spec": {
			"workload": {"manifests": [{"kind": "Gadget"}]},
			"deleteOption": {"propagationPolicy": "Orphan"},
			"manifestConfigs": [{"resourceIdentifier": {"name": "g"}, "feedbackScrapeType": "Watch"}]
		}}`), work)
	if err != nil {
		t.Fatal(err)
	}
	work = work.DeepCopyObject().(*manifestWork)
	if len(work.Spec.ManifestConfigs) != 1 || work.Spec.ManifestConfigs[0].FeedbackScrapeType != scrapeWatch ||
		work.Spec.ManifestConfigs[0].ResourceIdentifier.Name != "g" {
		t.Errorf("configs %+v", work.Spec.ManifestConfigs)
	}
	if work.Spec.DeleteOption.PropagationPolicy != "Orphan" || string(work.Spec.Workload.Manifests[0].Raw) != `{"kind": "Gadget"}` {
		t.Errorf("spec %+v", work.Spec)
	}
}
